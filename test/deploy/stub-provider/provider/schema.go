package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
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
