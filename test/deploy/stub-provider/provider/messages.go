package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	snstypes "github.com/aws/aws-sdk-go-v2/service/sns/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

func queueAttributes(w Object) map[string]string {
	attributes := map[string]string{
		"DelaySeconds": fmt.Sprint(number(w, "delay_seconds")), "MessageRetentionPeriod": fmt.Sprint(number(w, "message_retention_seconds")),
		"ReceiveMessageWaitTimeSeconds": fmt.Sprint(number(w, "receive_wait_time_seconds")), "VisibilityTimeout": fmt.Sprint(number(w, "visibility_timeout_seconds")),
	}
	// SQS takes one of the two.
	if key := str(w, "kms_master_key_id"); key != "" {
		attributes["KmsMasterKeyId"] = key
	} else if _, set := w["sqs_managed_sse_enabled"].(bool); set {
		attributes["SqsManagedSseEnabled"] = strconv.FormatBool(truth(w, "sqs_managed_sse_enabled"))
	}
	return attributes
}

func queueCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	output, err := c.sqs.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String(str(w, "name")), Attributes: queueAttributes(w), Tags: allTags(w)})
	if err != nil {
		return "", err
	}
	return *output.QueueUrl, nil
}

func queueRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	address := aws.String(str(s, "id"))
	output, err := c.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: address, AttributeNames: []sqstypes.QueueAttributeName{"All"}})
	if err != nil {
		return nil, unlessGone(err)
	}
	tags, err := c.sqs.ListQueueTags(ctx, &sqs.ListQueueTagsInput{QueueUrl: address})
	if err != nil {
		return nil, err
	}
	a := output.Attributes
	whole := func(name string) int { value, _ := strconv.Atoi(a[name]); return value }
	arn := a["QueueArn"]
	return Object{"arn": arn, "name": arn[strings.LastIndex(arn, ":")+1:], "name_prefix": "", "url": *address, "delay_seconds": whole("DelaySeconds"),
		"message_retention_seconds": whole("MessageRetentionPeriod"), "receive_wait_time_seconds": whole("ReceiveMessageWaitTimeSeconds"),
		"visibility_timeout_seconds": whole("VisibilityTimeout"), "max_message_size": whole("MaximumMessageSize"),
		"sqs_managed_sse_enabled": a["SqsManagedSseEnabled"] != "false", "policy": a["Policy"], "redrive_policy": a["RedrivePolicy"],
		"redrive_allow_policy": a["RedriveAllowPolicy"], "kms_data_key_reuse_period_seconds": 300, "deduplication_scope": "", "fifo_throughput_limit": "",
		"tags_all": asObject(tags.Tags)}, nil
}

func queueUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	address := aws.String(str(w, "id"))
	err := retag(prior, w, func() error {
		_, err := c.sqs.TagQueue(ctx, &sqs.TagQueueInput{QueueUrl: address, Tags: allTags(w)})
		return err
	}, func(names []string) error {
		_, err := c.sqs.UntagQueue(ctx, &sqs.UntagQueueInput{QueueUrl: address, TagKeys: names})
		return err
	})
	if err != nil {
		return err
	}
	_, err = c.sqs.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: address, Attributes: queueAttributes(w)})
	return err
}

func queueDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.sqs.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: aws.String(str(s, "id"))})
	return unlessGone(err)
}

// topicAttributes are those of SNS that a topic may set, by Terraform's names.
var topicAttributes = map[string]string{
	"delivery_policy": "DeliveryPolicy", "display_name": "DisplayName", "kms_master_key_id": "KmsMasterKeyId", "policy": "Policy",
	"signature_version": "SignatureVersion", "tracing_config": "TracingConfig",
}

func topicTag(key, value *string) snstypes.Tag { return snstypes.Tag{Key: key, Value: value} }

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
		"tags_all": tagObject(tags.Tags, func(tag snstypes.Tag) (*string, *string) { return tag.Key, tag.Value })}, nil
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
