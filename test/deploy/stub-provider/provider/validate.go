package main

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// validate finds the values that the provider's validators would refuse.
func (t *Type) validate(config Object) []*tfprotov5.Diagnostic {
	var found []*tfprotov5.Diagnostic
	var walk func(value any, path string)
	walk = func(value any, path string) {
		switch v := value.(type) {
		case Object:
			for name, inner := range v {
				walk(inner, strings.TrimPrefix(path+"."+name, "."))
			}
		case []any:
			for _, inner := range v {
				walk(inner, path)
			}
		case nil, Unknown:
		default:
			if problem := t.Rules.Check[path].problem(v); problem != "" {
				found = append(found, failure("Invalid value", fmt.Sprintf("%s.%s: %s, got %v", t.Name, path, problem, v), nil)...)
			}
		}
	}
	walk(config, "")
	return found
}

func (c Check) problem(value any) string {
	size, _ := value.(float64)
	if text, isText := value.(string); isText {
		size = float64(utf8.RuneCountInString(text))
		if c.Pattern != "" && !regexp.MustCompile(c.Pattern).MatchString(text) {
			return "expected to match " + c.Pattern
		}
		if c.JSON && !json.Valid([]byte(text)) {
			return "expected JSON"
		}
	}
	if c.Min != nil && size < *c.Min {
		return fmt.Sprintf("expected at least %v", *c.Min)
	}
	if c.Max != nil && size > *c.Max {
		return fmt.Sprintf("expected at most %v", *c.Max)
	}
	if c.MultipleOf != 0 && math.Mod(size, c.MultipleOf) == 0 {
		return ""
	}
	if c.OneOf != nil {
		for _, allowed := range c.OneOf {
			if allowed == value {
				return ""
			}
		}
		if c.MultipleOf != 0 {
			return fmt.Sprintf("expected one of %v or a multiple of %v", c.OneOf, c.MultipleOf)
		}
		return fmt.Sprintf("expected one of %v", c.OneOf)
	}
	return ""
}
