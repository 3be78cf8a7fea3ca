package main

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// plan is what the SDK's schema.Resource does: defaults, tags, unknown for what an apply computes, ForceNew.
func (s *Server) plan(t *Type, prior, proposed, config Object) (planned Object, replace []string) {
	planned = t.withDefaults(t.Block, "", proposed, config).(Object)
	if _, regional := t.Block.Attributes["region"]; regional && config["region"] == nil {
		planned["region"] = s.region
	}
	if _, tagged := t.Block.Attributes["tags_all"]; tagged {
		planned["tags_all"] = s.tagsAll(config["tags"])
	}
	if prior == nil {
		for name, a := range t.Block.Attributes {
			if a.Computed && planned[name] == nil {
				planned[name] = Unknown{}
			}
		}
		return planned, nil
	}
	t.keepBlocks(prior, planned)
	for _, name := range t.Rules.JSON {
		if sameJSON(prior[name], planned[name]) {
			planned[name] = prior[name]
		}
	}
	different := map[string]bool{}
	for name := range planned {
		if reflect.DeepEqual(prior[name], planned[name]) {
			continue
		}
		different[name] = true
		if contains(t.Rules.ForceNew, name) {
			replace = append(replace, name)
		}
	}
	for name, causes := range t.Rules.Volatile {
		for _, cause := range causes {
			if config[name] == nil && (different[cause] || cause == "*" && len(different) > 0) {
				planned[name] = Unknown{}
			}
		}
	}
	if t.Name == "aws_dynamodb_table" {
		replace = append(replace, tableReplaced(prior, planned)...)
	}
	return planned, replace
}

// keepBlocks takes over what the configuration leaves to the provider: a computed block that it has not.
func (t *Type) keepBlocks(prior, planned Object) {
	t.Block.keepComputed(prior, planned)
	if t.Name == "aws_dynamodb_table" {
		indexes, was := t.Block.Blocks["global_secondary_index"], byName(prior)
		for _, each := range objects(planned, "global_secondary_index") {
			indexes.keepComputed(was[str(each, "name")], each)
		}
	}
}

func (b *Block) keepComputed(prior, planned Object) {
	for name, inner := range b.Blocks {
		if inner.computed && isZero(planned[name]) && !isZero(prior[name]) {
			planned[name] = prior[name]
		}
	}
}

// tagsAll has the provider's tags, too; unknown where one of the resource's own is.
func (s *Server) tagsAll(own any) any {
	if _, unknown := own.(Unknown); unknown {
		return own
	}
	tags := asObject(s.tags)
	object, _ := own.(Object)
	for name, value := range object {
		if _, unknown := value.(Unknown); unknown {
			return value
		}
		tags[name] = value
	}
	return tags
}

func (t *Type) withDefaults(b *Block, path string, proposed, config any) any {
	object, ok := proposed.(Object)
	if !ok {
		return proposed
	}
	given, _ := config.(Object)
	result := copyOf(object)
	for name := range b.Attributes {
		if value, has := t.Rules.Default[path+name]; has && given[name] == nil {
			result[name] = value
		}
	}
	for name, inner := range b.Blocks {
		if inner.Nesting != "list" { // the defaults that matter here are in lists
			continue
		}
		list, _ := object[name].([]any)
		givenList, _ := given[name].([]any)
		filled := make([]any, len(list))
		for i, element := range list {
			var from any
			if i < len(givenList) {
				from = givenList[i]
			}
			filled[i] = t.withDefaults(inner, path+name+".", element, from)
		}
		if object[name] != nil {
			if _, unknown := object[name].(Unknown); !unknown {
				result[name] = filled
			}
		}
	}
	return result
}

// planProblem is what the provider refuses of a whole plan.
func (t *Type) planProblem(prior, planned Object) string {
	switch t.Name {
	case "aws_cloudwatch_metric_alarm":
		return alarmProblem(planned)
	case "aws_dynamodb_table":
		return tableProblem(prior, planned)
	}
	return ""
}

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
