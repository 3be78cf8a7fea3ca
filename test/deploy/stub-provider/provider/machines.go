package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
)

func machineTag(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} }

func machineLogging(w Object) *types.LoggingConfiguration {
	logging := one(w, "logging_configuration")
	if logging == nil {
		return nil
	}
	return &types.LoggingConfiguration{Level: types.LogLevel(str(logging, "level")), IncludeExecutionData: truth(logging, "include_execution_data"),
		Destinations: []types.LogDestination{{CloudWatchLogsLogGroup: &types.CloudWatchLogsLogGroup{LogGroupArn: aws.String(str(logging, "log_destination"))}}}}
}

func machineTracing(w Object) *types.TracingConfiguration {
	if tracing := one(w, "tracing_configuration"); tracing != nil {
		return &types.TracingConfiguration{Enabled: truth(tracing, "enabled")}
	}
	return nil
}

func machineEncryption(w Object) *types.EncryptionConfiguration {
	encryption := one(w, "encryption_configuration")
	if encryption == nil {
		return nil
	}
	return &types.EncryptionConfiguration{Type: types.EncryptionType(str(encryption, "type")), KmsKeyId: text(encryption, "kms_key_id"),
		KmsDataKeyReusePeriodSeconds: unlessZero(encryption, "kms_data_key_reuse_period_seconds")}
}

func machineCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	if err := permitted(ctx, c, str(w, "role_arn")); err != nil {
		return "", err
	}
	output, err := c.sfn.CreateStateMachine(ctx, &sfn.CreateStateMachineInput{
		Name: aws.String(str(w, "name")), Type: types.StateMachineType(str(w, "type")), RoleArn: aws.String(str(w, "role_arn")),
		Definition: aws.String(str(w, "definition")), LoggingConfiguration: machineLogging(w), TracingConfiguration: machineTracing(w),
		EncryptionConfiguration: machineEncryption(w), Tags: tagList(w, machineTag),
	})
	if err != nil {
		return "", err
	}
	return *output.StateMachineArn, nil
}

func machineRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.sfn.DescribeStateMachine(ctx, &sfn.DescribeStateMachineInput{StateMachineArn: aws.String(str(s, "id"))})
	if err != nil {
		return nil, unlessGone(err)
	}
	tags, err := c.sfn.ListTagsForResource(ctx, &sfn.ListTagsForResourceInput{ResourceArn: output.StateMachineArn})
	if err != nil {
		return nil, err
	}
	return Object{"arn": *output.StateMachineArn, "name": *output.Name, "name_prefix": "", "definition": *output.Definition, "role_arn": *output.RoleArn,
		"type": string(output.Type), "status": string(output.Status), "creation_date": fmt.Sprint(output.CreationDate), "revision_id": aws.ToString(output.RevisionId),
		"description": "", "state_machine_version_arn": "", "version_description": "",
		"tags_all": tagObject(tags.Tags, func(tag types.Tag) (*string, *string) { return tag.Key, tag.Value })}, nil
}

func machineUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	arn := aws.String(str(w, "arn"))
	if changed(prior, w, "definition", "role_arn", "logging_configuration", "tracing_configuration", "encryption_configuration") {
		if _, err := c.sfn.UpdateStateMachine(ctx, &sfn.UpdateStateMachineInput{
			StateMachineArn: arn, Definition: aws.String(str(w, "definition")), RoleArn: aws.String(str(w, "role_arn")),
			LoggingConfiguration: machineLogging(w), TracingConfiguration: machineTracing(w), EncryptionConfiguration: machineEncryption(w),
		}); err != nil {
			return err
		}
	}
	return retag(prior, w, func() error {
		_, err := c.sfn.TagResource(ctx, &sfn.TagResourceInput{ResourceArn: arn, Tags: tagList(w, machineTag)})
		return err
	}, func(names []string) error {
		_, err := c.sfn.UntagResource(ctx, &sfn.UntagResourceInput{ResourceArn: arn, TagKeys: names})
		return err
	})
}

func machineDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.sfn.DeleteStateMachine(ctx, &sfn.DeleteStateMachineInput{StateMachineArn: aws.String(str(s, "id"))})
	return unlessGone(err)
}
