package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
)

func busTag(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} }

func busCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	input := &eventbridge.CreateEventBusInput{Name: aws.String(str(w, "name")), Description: text(w, "description"), KmsKeyIdentifier: text(w, "kms_key_identifier"), Tags: tagList(w, busTag)}
	if letters := one(w, "dead_letter_config"); letters != nil {
		input.DeadLetterConfig = &types.DeadLetterConfig{Arn: text(letters, "arn")}
	}
	_, err := c.eventbridge.CreateEventBus(ctx, input)
	return made(str(w, "name"), err)
}

func busRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.eventbridge.DescribeEventBus(ctx, &eventbridge.DescribeEventBusInput{Name: aws.String(str(s, "id"))})
	if err != nil {
		return nil, unlessGone(err)
	}
	tags, err := c.eventbridge.ListTagsForResource(ctx, &eventbridge.ListTagsForResourceInput{ResourceARN: output.Arn})
	if err != nil {
		return nil, err
	}
	return Object{"arn": aws.ToString(output.Arn), "name": aws.ToString(output.Name), "description": aws.ToString(output.Description), "kms_key_identifier": aws.ToString(output.KmsKeyIdentifier),
		"tags_all": tagObject(tags.Tags, func(tag types.Tag) (*string, *string) { return tag.Key, tag.Value })}, nil
}

// busUpdate can change only the tags on the emulator, which has no UpdateEventBus and says so.
func busUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	if changedBesidesTags(prior, w) {
		if _, err := c.eventbridge.UpdateEventBus(ctx, &eventbridge.UpdateEventBusInput{Name: aws.String(str(w, "name")), Description: text(w, "description"), KmsKeyIdentifier: text(w, "kms_key_identifier")}); err != nil {
			return err
		}
	}
	arn := aws.String(str(w, "arn"))
	return retag(prior, w, func() error {
		_, err := c.eventbridge.TagResource(ctx, &eventbridge.TagResourceInput{ResourceARN: arn, Tags: tagList(w, busTag)})
		return err
	}, func(names []string) error {
		_, err := c.eventbridge.UntagResource(ctx, &eventbridge.UntagResourceInput{ResourceARN: arn, TagKeys: names})
		return err
	})
}

func busDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.eventbridge.DeleteEventBus(ctx, &eventbridge.DeleteEventBusInput{Name: aws.String(str(s, "id"))})
	return unlessGone(err)
}
