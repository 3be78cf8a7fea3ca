package main

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/firehose"
	firehosetypes "github.com/aws/aws-sdk-go-v2/service/firehose/types"
	"github.com/aws/aws-sdk-go-v2/service/pipes"
	pipestypes "github.com/aws/aws-sdk-go-v2/service/pipes/types"
)

func pipeCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	output, err := c.pipes.CreatePipe(ctx, &pipes.CreatePipeInput{
		Name: text(w, "name"), RoleArn: text(w, "role_arn"), Source: text(w, "source"), Target: text(w, "target"), Enrichment: text(w, "enrichment"),
		Description: text(w, "description"), DesiredState: pipestypes.RequestedPipeState(str(w, "desired_state")), KmsKeyIdentifier: text(w, "kms_key_identifier"), Tags: allTags(w),
		SourceParameters: parameters[pipestypes.PipeSourceParameters](w, "source_parameters"), EnrichmentParameters: parameters[pipestypes.PipeEnrichmentParameters](w, "enrichment_parameters"),
		TargetParameters: parameters[pipestypes.PipeTargetParameters](w, "target_parameters"), LogConfiguration: parameters[pipestypes.PipeLogConfigurationParameters](w, "log_configuration"),
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
			DesiredState: pipestypes.RequestedPipeState(str(w, "desired_state")), TargetParameters: &pipestypes.PipeTargetParameters{InputTemplate: aws.String("")}}
		if changed(prior, w, "enrichment") {
			input.Enrichment = aws.String(str(w, "enrichment"))
		}
		if changed(prior, w, "enrichment_parameters") {
			input.EnrichmentParameters = parameters[pipestypes.PipeEnrichmentParameters](w, "enrichment_parameters")
		}
		if changed(prior, w, "log_configuration") {
			input.LogConfiguration = parameters[pipestypes.PipeLogConfigurationParameters](w, "log_configuration")
		}
		if changed(prior, w, "source_parameters") {
			input.SourceParameters = parameters[pipestypes.UpdatePipeSourceParameters](w, "source_parameters")
		}
		if changed(prior, w, "target_parameters") && one(w, "target_parameters") != nil {
			input.TargetParameters = parameters[pipestypes.PipeTargetParameters](w, "target_parameters")
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

// deliveryTags are nil where there are none: Firehose takes no empty list.
func deliveryTags(w Object) []firehosetypes.Tag {
	if len(allTags(w)) == 0 {
		return nil
	}
	return tagList(w, func(key, value *string) firehosetypes.Tag { return firehosetypes.Tag{Key: key, Value: value} })
}

// deliveryTo gives the destination, which alone of several kinds is known here, without what its update does not have.
func deliveryTo[Shape any](w Object) *Shape {
	destination := copyOf(one(w, "extended_s3_configuration"))
	destination["buffering_hints"] = []any{Object{"interval_in_seconds": destination["buffering_interval"], "size_in_mbs": destination["buffering_size"]}}
	return parameters[Shape](Object{"destination": []any{destination}}, "destination")
}

func deliveryCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	output, err := c.firehose.CreateDeliveryStream(ctx, &firehose.CreateDeliveryStreamInput{
		DeliveryStreamName: text(w, "name"), DeliveryStreamType: firehosetypes.DeliveryStreamTypeDirectPut,
		ExtendedS3DestinationConfiguration: deliveryTo[firehosetypes.ExtendedS3DestinationConfiguration](w),
		Tags:                               deliveryTags(w),
	})
	if err != nil {
		return "", err
	}
	return *output.DeliveryStreamARN, deliveryEncrypt(ctx, c, w)
}

func deliveryEncrypt(ctx context.Context, c *Cloud, w Object) error {
	encryption := one(w, "server_side_encryption")
	if !truth(encryption, "enabled") {
		_, err := c.firehose.StopDeliveryStreamEncryption(ctx, &firehose.StopDeliveryStreamEncryptionInput{DeliveryStreamName: text(w, "name")})
		return err
	}
	_, err := c.firehose.StartDeliveryStreamEncryption(ctx, &firehose.StartDeliveryStreamEncryptionInput{DeliveryStreamName: text(w, "name"),
		DeliveryStreamEncryptionConfigurationInput: &firehosetypes.DeliveryStreamEncryptionConfigurationInput{KeyType: firehosetypes.KeyType(str(encryption, "key_type")), KeyARN: text(encryption, "key_arn")}})
	return err
}

func deliveryRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.firehose.DescribeDeliveryStream(ctx, &firehose.DescribeDeliveryStreamInput{DeliveryStreamName: text(s, "name")})
	if err != nil {
		return nil, unlessGone(err)
	}
	tags, err := c.firehose.ListTagsForDeliveryStream(ctx, &firehose.ListTagsForDeliveryStreamInput{DeliveryStreamName: text(s, "name")})
	if err != nil {
		return nil, err
	}
	seen := output.DeliveryStreamDescription
	destination := seen.Destinations[0]
	had, is := deliveryTo[firehosetypes.ExtendedS3DestinationDescription](s), destination.ExtendedS3DestinationDescription
	is.EncryptionConfiguration = nil // filled in
	delivery := s["extended_s3_configuration"]
	if !sameShape(had, is) {
		delivery = []any{Object{}}
	}
	return Object{"arn": aws.ToString(seen.DeliveryStreamARN), "name": aws.ToString(seen.DeliveryStreamName), "destination": "extended_s3", "destination_id": aws.ToString(destination.DestinationId),
		"version_id": aws.ToString(seen.VersionId), "extended_s3_configuration": delivery,
		"tags_all": tagObject(tags.Tags, func(tag firehosetypes.Tag) (*string, *string) { return tag.Key, tag.Value })}, nil
}

func deliveryUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	if changed(prior, w, "extended_s3_configuration") {
		if _, err := c.firehose.UpdateDestination(ctx, &firehose.UpdateDestinationInput{DeliveryStreamName: text(w, "name"), CurrentDeliveryStreamVersionId: text(prior, "version_id"),
			DestinationId: text(prior, "destination_id"), ExtendedS3DestinationUpdate: deliveryTo[firehosetypes.ExtendedS3DestinationUpdate](w)}); err != nil {
			return err
		}
	}
	if changed(prior, w, "server_side_encryption") {
		if err := deliveryEncrypt(ctx, c, w); err != nil {
			return err
		}
	}
	return retag(prior, w, func() error {
		_, err := c.firehose.TagDeliveryStream(ctx, &firehose.TagDeliveryStreamInput{DeliveryStreamName: text(w, "name"), Tags: deliveryTags(w)})
		return err
	}, func(names []string) error {
		_, err := c.firehose.UntagDeliveryStream(ctx, &firehose.UntagDeliveryStreamInput{DeliveryStreamName: text(w, "name"), TagKeys: names})
		return err
	})
}

func deliveryDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.firehose.DeleteDeliveryStream(ctx, &firehose.DeleteDeliveryStreamInput{DeliveryStreamName: text(s, "name")})
	return unlessGone(err)
}
