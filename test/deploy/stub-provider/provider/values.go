package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"sort"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

//go:embed schema.json
var schemaJSON []byte

//go:embed rules.json
var rulesJSON []byte

type Attribute struct {
	Type     json.RawMessage `json:"type"`
	Required bool            `json:"required"`
	Optional bool            `json:"optional"`
	Computed bool            `json:"computed"`
	tf       tftypes.Type
}

type Block struct {
	Nesting    string                `json:"nesting"` // of a nested block: list, set or single
	Min        int64                 `json:"min"`
	Max        int64                 `json:"max"`
	Attributes map[string]*Attribute `json:"attributes"`
	Blocks     map[string]*Block     `json:"blocks"`
	computed   bool
}

type Check struct {
	Pattern string   `json:"pattern"`
	Min     *float64 `json:"min"`
	Max     *float64 `json:"max"`
	OneOf   []any    `json:"oneOf"`
	// Beside those of OneOf.
	MultipleOf float64 `json:"multipleOf"`
	JSON       bool    `json:"json"`
}

type Rules struct {
	Computed []string            `json:"computed"`
	ForceNew []string            `json:"forceNew"`
	Volatile map[string][]string `json:"volatile"`
	JSON     []string            `json:"json"`
	Default  map[string]any      `json:"default"`
	Check    map[string]Check    `json:"check"`
}

type Type struct {
	Name  string
	Block *Block
	Rules Rules
}

type Schemas struct{ Resource, Data map[string]*Type }

func loadSchemas() *Schemas {
	var schema struct{ Resource, Data map[string]*Block }
	must(json.Unmarshal(schemaJSON, &schema))
	var rules struct {
		All      Rules            `json:"*"`
		Resource map[string]Rules `json:"resource"`
		Data     map[string]Rules `json:"data"`
	}
	must(json.Unmarshal(rulesJSON, &rules))
	load := func(blocks map[string]*Block, rules_ map[string]Rules) map[string]*Type {
		types := map[string]*Type{}
		for name, block := range blocks {
			r := rules_[name]
			r.Computed = append(append([]string{}, r.Computed...), rules.All.Computed...)
			r.ForceNew = append(append([]string{}, r.ForceNew...), rules.All.ForceNew...)
			block.prepare("", r)
			types[name] = &Type{name, block, r}
		}
		return types
	}
	return &Schemas{load(schema.Resource, rules.Resource), load(schema.Data, rules.Data)}
}

// An attribute with a default is computed for Terraform: the provider may plan what the configuration leaves out. Terraform does
// not know of computed blocks, which only a provider on the legacy type system may plan.
func (b *Block) prepare(path string, r Rules) {
	for name, a := range b.Attributes {
		a.tf = parseType(a.Type)
		_, hasDefault := r.Default[path+name]
		if !a.Required && (hasDefault || contains(r.Computed, path+name)) {
			a.Computed = true
		}
	}
	for name, inner := range b.Blocks {
		inner.computed = contains(r.Computed, path+name)
		inner.prepare(path+name+".", r)
	}
}

func parseType(raw json.RawMessage) tftypes.Type {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return map[string]tftypes.Type{"string": tftypes.String, "number": tftypes.Number, "bool": tftypes.Bool}[name]
	}
	var pair []json.RawMessage
	must(json.Unmarshal(raw, &pair))
	must(json.Unmarshal(pair[0], &name))
	switch name {
	case "list":
		return tftypes.List{ElementType: parseType(pair[1])}
	case "set":
		return tftypes.Set{ElementType: parseType(pair[1])}
	case "map":
		return tftypes.Map{ElementType: parseType(pair[1])}
	case "object":
		var fields map[string]json.RawMessage
		must(json.Unmarshal(pair[1], &fields))
		types := map[string]tftypes.Type{}
		for field, type_ := range fields {
			types[field] = parseType(type_)
		}
		return tftypes.Object{AttributeTypes: types}
	}
	panic("type " + name)
}

func (b *Block) objectType() tftypes.Object {
	types := map[string]tftypes.Type{}
	for name, a := range b.Attributes {
		types[name] = a.tf
	}
	for name, inner := range b.Blocks {
		types[name] = inner.nestedType()
	}
	return tftypes.Object{AttributeTypes: types}
}

func (b *Block) nestedType() tftypes.Type {
	switch b.Nesting {
	case "set":
		return tftypes.Set{ElementType: b.objectType()}
	case "single":
		return b.objectType()
	}
	return tftypes.List{ElementType: b.objectType()}
}

func (b *Block) proto() *tfprotov5.SchemaBlock {
	out := &tfprotov5.SchemaBlock{}
	for _, name := range sortedKeys(b.Attributes) {
		a := b.Attributes[name]
		out.Attributes = append(out.Attributes, &tfprotov5.SchemaAttribute{
			Name: name, Type: a.tf, Required: a.Required, Optional: a.Optional, Computed: a.Computed,
		})
	}
	nesting := map[string]tfprotov5.SchemaNestedBlockNestingMode{
		"list": tfprotov5.SchemaNestedBlockNestingModeList, "set": tfprotov5.SchemaNestedBlockNestingModeSet,
		"single": tfprotov5.SchemaNestedBlockNestingModeSingle,
	}
	for _, name := range sortedKeys(b.Blocks) {
		inner := b.Blocks[name]
		out.BlockTypes = append(out.BlockTypes, &tfprotov5.SchemaNestedBlock{
			TypeName: name, Block: inner.proto(), Nesting: nesting[inner.Nesting], MinItems: inner.Min, MaxItems: inner.Max,
		})
	}
	return out
}

// fillBlocks gives an empty list to each block that is not there, as Terraform wants it.
func (b *Block) fillBlocks(object Object) {
	for name, inner := range b.Blocks {
		if inner.Nesting == "single" {
			continue
		}
		if object[name] == nil {
			object[name] = []any{}
		}
		for _, each := range objects(object, name) {
			inner.fillBlocks(each)
		}
	}
}

func (t *Type) has(name string) bool {
	return t.Block.Attributes[name] != nil || t.Block.Blocks[name] != nil
}

// The provider's own configuration: of it, what a stack of this project may set.
func providerBlock() *Block {
	text := func() *Attribute { return &Attribute{Type: json.RawMessage(`"string"`), Optional: true} }
	tags := &Block{Nesting: "list", Max: 1, Attributes: map[string]*Attribute{
		"tags": {Type: json.RawMessage(`["map","string"]`), Optional: true},
	}}
	block := &Block{
		Attributes: map[string]*Attribute{"region": text(), "profile": text(), "access_key": text(), "secret_key": text(),
			"allowed_account_ids": {Type: json.RawMessage(`["set","string"]`), Optional: true}},
		Blocks: map[string]*Block{"default_tags": tags},
	}
	block.prepare("", Rules{})
	return block
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

func contains(list []string, text string) bool {
	for _, each := range list {
		if each == text {
			return true
		}
	}
	return false
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("stub-aws: %v", err))
	}
}

// Unknown stands for a value that only an apply can tell.
type Unknown struct{}

type Object = map[string]any

// decode gives Terraform's value as nil, Unknown, string, float64, bool, []any or Object.
func decode(dynamic *tfprotov5.DynamicValue, type_ tftypes.Type) Object {
	if dynamic == nil {
		return nil
	}
	value, err := dynamic.Unmarshal(type_)
	must(err)
	object, _ := plain(value).(Object)
	return object
}

func plain(value tftypes.Value) any {
	if !value.IsKnown() {
		return Unknown{}
	}
	if value.IsNull() {
		return nil
	}
	switch {
	case value.Type().Is(tftypes.String):
		var text string
		must(value.As(&text))
		return text
	case value.Type().Is(tftypes.Bool):
		var truth bool
		must(value.As(&truth))
		return truth
	case value.Type().Is(tftypes.Number):
		number := new(big.Float)
		must(value.As(&number))
		result, _ := number.Float64()
		return result
	case value.Type().Is(tftypes.Map{}), value.Type().Is(tftypes.Object{}):
		var fields map[string]tftypes.Value
		must(value.As(&fields))
		object := Object{}
		for name, field := range fields {
			object[name] = plain(field)
		}
		return object
	}
	var elements []tftypes.Value
	must(value.As(&elements))
	list := make([]any, 0, len(elements))
	for _, element := range elements {
		list = append(list, plain(element))
	}
	return list
}

func encode(value any, type_ tftypes.Type) *tfprotov5.DynamicValue {
	dynamic, err := tfprotov5.NewDynamicValue(type_, terraformValue(value, type_))
	must(err)
	return &dynamic
}

func terraformValue(value any, type_ tftypes.Type) tftypes.Value {
	if value == nil {
		return tftypes.NewValue(type_, nil)
	}
	if _, unknown := value.(Unknown); unknown {
		return tftypes.NewValue(type_, tftypes.UnknownValue)
	}
	elements := func(elementType tftypes.Type) []tftypes.Value {
		list := []tftypes.Value{}
		for _, element := range anyList(value) {
			list = append(list, terraformValue(element, elementType))
		}
		return list
	}
	switch t := type_.(type) {
	case tftypes.List:
		return tftypes.NewValue(type_, elements(t.ElementType))
	case tftypes.Set:
		return tftypes.NewValue(type_, elements(t.ElementType))
	case tftypes.Map:
		fields := map[string]tftypes.Value{}
		for name, field := range value.(Object) {
			fields[name] = terraformValue(field, t.ElementType)
		}
		return tftypes.NewValue(type_, fields)
	case tftypes.Object:
		fields := map[string]tftypes.Value{}
		object := value.(Object)
		for name, fieldType := range t.AttributeTypes {
			fields[name] = terraformValue(object[name], fieldType)
		}
		return tftypes.NewValue(type_, fields)
	}
	switch v := value.(type) {
	case float64:
		return tftypes.NewValue(type_, v)
	case int:
		return tftypes.NewValue(type_, int64(v))
	case int32:
		return tftypes.NewValue(type_, int64(v))
	case int64:
		return tftypes.NewValue(type_, v)
	}
	return tftypes.NewValue(type_, value)
}

func anyList(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	reflected := reflect.ValueOf(value)
	list := make([]any, reflected.Len())
	for i := range list {
		list[i] = reflected.Index(i).Interface()
	}
	return list
}

// String of the attribute; empty when it is null.
func str(object Object, name string) string {
	text, _ := object[name].(string)
	return text
}

func truth(object Object, name string) bool {
	value, _ := object[name].(bool)
	return value
}

func number(object Object, name string) int32 {
	switch value := object[name].(type) {
	case float64:
		return int32(value)
	case int:
		return int32(value)
	}
	return 0
}

func float(object Object, name string) float64 {
	value, _ := object[name].(float64)
	return value
}

// text is nil where the attribute is null or empty: an optional parameter that is left out.
func text(object Object, name string) *string {
	if value := str(object, name); value != "" {
		return &value
	}
	return nil
}

// unlessZero is nil where the attribute is null or 0.
func unlessZero(object Object, name string) *int32 {
	if value := number(object, name); value != 0 {
		return &value
	}
	return nil
}

// unlessNull is nil where the attribute is null: 0 means something.
func unlessNull(object Object, name string) *int32 {
	if object[name] == nil {
		return nil
	}
	value := number(object, name)
	return &value
}

// strs gives the strings of a list or a set.
func strs(object Object, name string) (list []string) {
	elements, _ := object[name].([]any)
	for _, element := range elements {
		if text, ok := element.(string); ok {
			list = append(list, text)
		}
	}
	return list
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// asText is a text or a whole number as a text.
func asText(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

func isZero(value any) bool {
	if value == nil {
		return true
	}
	if _, unknown := value.(Unknown); unknown {
		return false
	}
	reflected := reflect.ValueOf(value)
	switch reflected.Kind() {
	case reflect.Slice, reflect.Map:
		return reflected.Len() == 0
	}
	return reflected.IsZero()
}

// The one block of a list of at most one; nil when there is none.
func one(object Object, name string) Object {
	if list, ok := object[name].([]any); ok && len(list) > 0 {
		inner, _ := list[0].(Object)
		return inner
	}
	return nil
}

func objects(object Object, name string) []Object {
	list, _ := object[name].([]any)
	result := []Object{}
	for _, element := range list {
		result = append(result, element.(Object))
	}
	return result
}

func texts(value any) map[string]string {
	result := map[string]string{}
	if object, ok := value.(Object); ok {
		for name, text := range object {
			result[name], _ = text.(string)
		}
	}
	return result
}

func copyOf(object Object) Object {
	result := Object{}
	for name, value := range object {
		result[name] = value
	}
	return result
}

func sameJSON(one, other any) bool {
	var a, b any
	if json.Unmarshal([]byte(fmt.Sprint(one)), &a) != nil || json.Unmarshal([]byte(fmt.Sprint(other)), &b) != nil {
		return false
	}
	return reflect.DeepEqual(a, b)
}
