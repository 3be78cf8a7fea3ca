package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

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
