package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/firehose"
	"github.com/aws/aws-sdk-go-v2/service/firehose/types"
)

// deliveryTags are nil where there are none: Firehose takes no empty list.
func deliveryTags(w Object) []types.Tag {
	if len(allTags(w)) == 0 {
		return nil
	}
	return tagList(w, func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} })
}

// deliveryTo gives the destination, which alone of several kinds is known here, without what its update does not have.
func deliveryTo[Shape any](w Object) *Shape {
	destination := copyOf(one(w, "extended_s3_configuration"))
	destination["buffering_hints"] = []any{Object{"interval_in_seconds": destination["buffering_interval"], "size_in_mbs": destination["buffering_size"]}}
	return parameters[Shape](Object{"destination": []any{destination}}, "destination")
}

func deliveryCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	output, err := c.firehose.CreateDeliveryStream(ctx, &firehose.CreateDeliveryStreamInput{
		DeliveryStreamName: text(w, "name"), DeliveryStreamType: types.DeliveryStreamTypeDirectPut,
		ExtendedS3DestinationConfiguration: deliveryTo[types.ExtendedS3DestinationConfiguration](w),
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
		DeliveryStreamEncryptionConfigurationInput: &types.DeliveryStreamEncryptionConfigurationInput{KeyType: types.KeyType(str(encryption, "key_type")), KeyARN: text(encryption, "key_arn")}})
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
	had, is := deliveryTo[types.ExtendedS3DestinationDescription](s), destination.ExtendedS3DestinationDescription
	is.EncryptionConfiguration = nil // filled in
	delivery := s["extended_s3_configuration"]
	if !sameShape(had, is) {
		delivery = []any{Object{}}
	}
	return Object{"arn": aws.ToString(seen.DeliveryStreamARN), "name": aws.ToString(seen.DeliveryStreamName), "destination": "extended_s3", "destination_id": aws.ToString(destination.DestinationId),
		"version_id": aws.ToString(seen.VersionId), "extended_s3_configuration": delivery,
		"tags_all": tagObject(tags.Tags, func(tag types.Tag) (*string, *string) { return tag.Key, tag.Value })}, nil
}

func deliveryUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	if changed(prior, w, "extended_s3_configuration") {
		if _, err := c.firehose.UpdateDestination(ctx, &firehose.UpdateDestinationInput{DeliveryStreamName: text(w, "name"), CurrentDeliveryStreamVersionId: text(prior, "version_id"),
			DestinationId: text(prior, "destination_id"), ExtendedS3DestinationUpdate: deliveryTo[types.ExtendedS3DestinationUpdate](w)}); err != nil {
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
