package main

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"
)

// topicAttributes are those of SNS that a topic may set, by Terraform's names.
var topicAttributes = map[string]string{
	"delivery_policy": "DeliveryPolicy", "display_name": "DisplayName", "kms_master_key_id": "KmsMasterKeyId", "policy": "Policy",
	"signature_version": "SignatureVersion", "tracing_config": "TracingConfig",
}

func topicTag(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} }

func topicCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	output, err := c.sns.CreateTopic(ctx, &sns.CreateTopicInput{Name: aws.String(str(w, "name")), Tags: tagList(w, topicTag)})
	if err != nil {
		return "", err
	}
	for _, name := range sortedKeys(topicAttributes) {
		if !isZero(w[name]) {
			if err := setTopicAttribute(ctx, c, *output.TopicArn, topicAttributes[name], asText(w[name])); err != nil {
				return *output.TopicArn, err
			}
		}
	}
	return *output.TopicArn, nil
}

func setTopicAttribute(ctx context.Context, c *Cloud, arn, name, value string) error {
	_, err := c.sns.SetTopicAttributes(ctx, &sns.SetTopicAttributesInput{TopicArn: &arn, AttributeName: &name, AttributeValue: &value})
	return err
}

func topicRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	arn := aws.String(str(s, "id"))
	output, err := c.sns.GetTopicAttributes(ctx, &sns.GetTopicAttributesInput{TopicArn: arn})
	if err != nil {
		return nil, unlessGone(err)
	}
	tags, err := c.sns.ListTagsForResource(ctx, &sns.ListTagsForResourceInput{ResourceArn: arn})
	if err != nil {
		return nil, err
	}
	// The signature's version and the tracing are kept as they are: the emulator takes them and does not tell them.
	a := output.Attributes
	return Object{"arn": *arn, "name": (*arn)[strings.LastIndex(*arn, ":")+1:], "name_prefix": "", "owner": a["Owner"], "display_name": a["DisplayName"],
		"kms_master_key_id": a["KmsMasterKeyId"], "policy": a["Policy"], "delivery_policy": a["DeliveryPolicy"], "beginning_archive_time": "",
		"fifo_topic": a["FifoTopic"] == "true", "content_based_deduplication": a["ContentBasedDeduplication"] == "true",
		"tags_all": tagObject(tags.Tags, func(tag types.Tag) (*string, *string) { return tag.Key, tag.Value })}, nil
}

func topicUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	arn := str(w, "id")
	for _, name := range sortedKeys(topicAttributes) {
		if changed(prior, w, name) {
			if err := setTopicAttribute(ctx, c, arn, topicAttributes[name], asText(w[name])); err != nil {
				return err
			}
		}
	}
	return retag(prior, w, func() error {
		_, err := c.sns.TagResource(ctx, &sns.TagResourceInput{ResourceArn: &arn, Tags: tagList(w, topicTag)})
		return err
	}, func(names []string) error {
		_, err := c.sns.UntagResource(ctx, &sns.UntagResourceInput{ResourceArn: &arn, TagKeys: names})
		return err
	})
}

func topicDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.sns.DeleteTopic(ctx, &sns.DeleteTopicInput{TopicArn: aws.String(str(s, "id"))})
	return unlessGone(err)
}
