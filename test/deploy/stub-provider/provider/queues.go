package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
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
	output, err := c.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: address, AttributeNames: []types.QueueAttributeName{"All"}})
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
