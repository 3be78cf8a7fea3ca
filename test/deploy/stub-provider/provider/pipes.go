package main

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/pipes"
	"github.com/aws/aws-sdk-go-v2/service/pipes/types"
)

func pipeCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	output, err := c.pipes.CreatePipe(ctx, &pipes.CreatePipeInput{
		Name: text(w, "name"), RoleArn: text(w, "role_arn"), Source: text(w, "source"), Target: text(w, "target"), Enrichment: text(w, "enrichment"),
		Description: text(w, "description"), DesiredState: types.RequestedPipeState(str(w, "desired_state")), KmsKeyIdentifier: text(w, "kms_key_identifier"), Tags: allTags(w),
		SourceParameters: parameters[types.PipeSourceParameters](w, "source_parameters"), EnrichmentParameters: parameters[types.PipeEnrichmentParameters](w, "enrichment_parameters"),
		TargetParameters: parameters[types.PipeTargetParameters](w, "target_parameters"), LogConfiguration: parameters[types.PipeLogConfigurationParameters](w, "log_configuration"),
	})
	if err != nil {
		return "", err
	}
	return *output.Name, nil
}

func pipeRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.pipes.DescribePipe(ctx, &pipes.DescribePipeInput{Name: aws.String(str(s, "id"))})
	if err != nil {
		return nil, unlessGone(err)
	}
	return Object{"arn": aws.ToString(output.Arn), "name": aws.ToString(output.Name), "name_prefix": "", "role_arn": aws.ToString(output.RoleArn), "source": aws.ToString(output.Source),
		"target": aws.ToString(output.Target), "enrichment": aws.ToString(output.Enrichment), "description": aws.ToString(output.Description),
		"desired_state": string(output.DesiredState), "kms_key_identifier": aws.ToString(output.KmsKeyIdentifier), "tags_all": asObject(output.Tags),
		"source_parameters": seenBlock(s, "source_parameters", output.SourceParameters), "enrichment_parameters": seenBlock(s, "enrichment_parameters", output.EnrichmentParameters),
		"target_parameters": seenBlock(s, "target_parameters", output.TargetParameters), "log_configuration": seenBlock(s, "log_configuration", output.LogConfiguration)}, nil
}

// pipeUpdate gives parameters where they differ. Those of a target that has none any more stay: the provider empties the template alone.
func pipeUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	if changedBesidesTags(prior, w) {
		input := &pipes.UpdatePipeInput{Name: text(w, "name"), RoleArn: text(w, "role_arn"), Target: text(w, "target"), Description: text(w, "description"),
			DesiredState: types.RequestedPipeState(str(w, "desired_state")), TargetParameters: &types.PipeTargetParameters{InputTemplate: aws.String("")}}
		if changed(prior, w, "enrichment") {
			input.Enrichment = aws.String(str(w, "enrichment"))
		}
		if changed(prior, w, "enrichment_parameters") {
			input.EnrichmentParameters = parameters[types.PipeEnrichmentParameters](w, "enrichment_parameters")
		}
		if changed(prior, w, "log_configuration") {
			input.LogConfiguration = parameters[types.PipeLogConfigurationParameters](w, "log_configuration")
		}
		if changed(prior, w, "source_parameters") {
			input.SourceParameters = parameters[types.UpdatePipeSourceParameters](w, "source_parameters")
		}
		if changed(prior, w, "target_parameters") && one(w, "target_parameters") != nil {
			input.TargetParameters = parameters[types.PipeTargetParameters](w, "target_parameters")
		}
		if _, err := c.pipes.UpdatePipe(ctx, input); err != nil {
			return err
		}
	}
	arn := text(w, "arn")
	return retag(prior, w, func() error {
		_, err := c.pipes.TagResource(ctx, &pipes.TagResourceInput{ResourceArn: arn, Tags: allTags(w)})
		return err
	}, func(names []string) error {
		_, err := c.pipes.UntagResource(ctx, &pipes.UntagResourceInput{ResourceArn: arn, TagKeys: names})
		return err
	})
}

func pipeDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.pipes.DeletePipe(ctx, &pipes.DeletePipeInput{Name: aws.String(str(s, "id"))})
	return unlessGone(err)
}

// lists are the blocks of which there may be more than one, by their names in the API.
var lists = map[string]string{"filter": "filters", "processors": "processors", "parameters": "parameters"}

// parameters gives a block as the API takes it: the names are the same but for underscores and capitals. Nil without the block.
func parameters[Shape any](object Object, block string) *Shape {
	inner := one(object, block)
	if inner == nil {
		return nil
	}
	raw, err := json.Marshal(joined(inner))
	must(err)
	shape := new(Shape)
	must(json.Unmarshal(raw, shape))
	return shape
}

func joined(object Object) Object {
	result := Object{}
	for name, value := range object {
		list, isList := value.([]any)
		if value == nil || value == "" || isList && len(list) == 0 {
			continue
		}
		if several, is := lists[name]; is && isList {
			elements := []any{}
			for _, each := range list {
				elements = append(elements, joined(each.(Object)))
			}
			result[several] = elements
			continue
		}
		if inner := one(object, name); inner != nil {
			value = joined(inner)
		}
		result[strings.ReplaceAll(name, "_", "")] = value
	}
	return result
}

// seenBlock gives the block as the state has it, if the API says the same; otherwise an empty one, which is another.
func seenBlock[Shape any](state Object, block string, seen *Shape) []any {
	var nothing Shape
	if seen == nil || reflect.DeepEqual(*seen, nothing) {
		return []any{}
	}
	if had := parameters[Shape](state, block); had != nil && sameShape(had, seen) {
		return anyList(state[block])
	}
	return []any{Object{}}
}

func sameShape(one, other any) bool {
	a, errA := json.Marshal(one)
	b, errB := json.Marshal(other)
	must(errA)
	must(errB)
	return string(a) == string(b)
}
