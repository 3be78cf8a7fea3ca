package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	schedulertypes "github.com/aws/aws-sdk-go-v2/service/scheduler/types"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	sfntypes "github.com/aws/aws-sdk-go-v2/service/sfn/types"
)

func functionCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	if err := permitted(ctx, c, str(w, "role")); err != nil {
		return "", err
	}
	zip, err := archive(w)
	if err != nil {
		return "", err
	}
	_, err = c.lambda.CreateFunction(ctx, &lambda.CreateFunctionInput{
		FunctionName: aws.String(str(w, "function_name")), Description: aws.String(str(w, "description")),
		Code: &lambdatypes.FunctionCode{ZipFile: zip}, Handler: aws.String(str(w, "handler")), Runtime: lambdatypes.Runtime(str(w, "runtime")),
		MemorySize: aws.Int32(number(w, "memory_size")), Timeout: aws.Int32(number(w, "timeout")), Role: aws.String(str(w, "role")),
		Environment: functionEnvironment(w), LoggingConfig: functionLogging(w), Tags: allTags(w), Architectures: architectures(w),
		KMSKeyArn: text(w, "kms_key_arn"), TracingConfig: functionTracing(w),
	})
	return made(str(w, "function_name"), err)
}

func archive(w Object) ([]byte, error) {
	zip, err := os.ReadFile(str(w, "filename"))
	if err != nil {
		return nil, fmt.Errorf("reading ZIP file (%s): %w", str(w, "filename"), err)
	}
	return zip, nil
}

func architectures(w Object) (list []lambdatypes.Architecture) {
	for _, each := range strs(w, "architectures") {
		list = append(list, lambdatypes.Architecture(each))
	}
	return list
}

func functionEnvironment(w Object) *lambdatypes.Environment {
	if environment := one(w, "environment"); environment != nil {
		return &lambdatypes.Environment{Variables: texts(environment["variables"])}
	}
	return &lambdatypes.Environment{Variables: map[string]string{}}
}

func functionLogging(w Object) *lambdatypes.LoggingConfig {
	logging := one(w, "logging_config")
	if logging == nil {
		return nil
	}
	return &lambdatypes.LoggingConfig{LogFormat: lambdatypes.LogFormat(str(logging, "log_format")), LogGroup: aws.String(str(logging, "log_group")),
		ApplicationLogLevel: lambdatypes.ApplicationLogLevel(str(logging, "application_log_level")), SystemLogLevel: lambdatypes.SystemLogLevel(str(logging, "system_log_level"))}
}

func functionTracing(w Object) *lambdatypes.TracingConfig {
	if tracing := one(w, "tracing_config"); tracing != nil {
		return &lambdatypes.TracingConfig{Mode: lambdatypes.TracingMode(str(tracing, "mode"))}
	}
	return nil
}

func functionRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.lambda.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: aws.String(str(s, "id"))})
	if err != nil {
		return nil, unlessGone(err)
	}
	f := output.Configuration
	list := []any{}
	for _, architecture := range f.Architectures {
		list = append(list, string(architecture))
	}
	arn := aws.ToString(f.FunctionArn)
	seen := Object{"arn": arn, "function_name": aws.ToString(f.FunctionName), "description": aws.ToString(f.Description), "handler": aws.ToString(f.Handler),
		"runtime": string(f.Runtime), "memory_size": aws.ToInt32(f.MemorySize), "timeout": aws.ToInt32(f.Timeout), "role": aws.ToString(f.Role),
		"architectures": list, "last_modified": aws.ToString(f.LastModified), "code_sha256": aws.ToString(f.CodeSha256),
		"source_code_size": f.CodeSize, "version": "$LATEST", "qualified_arn": arn + ":$LATEST",
		"invoke_arn": "arn:aws:apigateway:" + c.region + ":lambda:path/2015-03-31/functions/" + arn + "/invocations", "tags_all": asObject(output.Tags),
		"qualified_invoke_arn": "", "response_streaming_invoke_arn": "", "signing_job_arn": "", "signing_profile_version_arn": ""}
	if _, has := s["response_streaming_invoke_arn"]; !has {
		delete(seen, "response_streaming_invoke_arn")
	}
	if configured(s, "environment") && f.Environment != nil {
		seen["environment"] = []any{Object{"variables": asObject(f.Environment.Variables)}}
	}
	return seen, nil
}

func functionUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	name, arn := aws.String(str(w, "function_name")), aws.String(str(w, "arn"))
	err := retag(prior, w, func() error {
		_, err := c.lambda.TagResource(ctx, &lambda.TagResourceInput{Resource: arn, Tags: allTags(w)})
		return err
	}, func(names []string) error {
		_, err := c.lambda.UntagResource(ctx, &lambda.UntagResourceInput{Resource: arn, TagKeys: names})
		return err
	})
	if err != nil {
		return err
	}
	if changed(prior, w, "description", "environment", "handler", "kms_key_arn", "logging_config", "memory_size", "role", "runtime", "timeout", "tracing_config") {
		if _, err := c.lambda.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{
			FunctionName: name, Description: aws.String(str(w, "description")), Handler: aws.String(str(w, "handler")), Runtime: lambdatypes.Runtime(str(w, "runtime")),
			MemorySize: aws.Int32(number(w, "memory_size")), Timeout: aws.Int32(number(w, "timeout")), Role: aws.String(str(w, "role")),
			Environment: functionEnvironment(w), LoggingConfig: functionLogging(w), KMSKeyArn: aws.String(str(w, "kms_key_arn")), TracingConfig: functionTracing(w),
		}); err != nil {
			return err
		}
	}
	if changed(prior, w, "filename", "source_code_hash", "architectures") {
		zip, err := archive(w)
		if err != nil {
			return err
		}
		if _, err := c.lambda.UpdateFunctionCode(ctx, &lambda.UpdateFunctionCodeInput{FunctionName: name, ZipFile: zip, Architectures: architectures(w)}); err != nil {
			return err
		}
	}
	return nil
}

func functionDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.lambda.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: aws.String(str(s, "id"))})
	return unlessGone(err)
}

func machineTag(key, value *string) sfntypes.Tag { return sfntypes.Tag{Key: key, Value: value} }

func machineLogging(w Object) *sfntypes.LoggingConfiguration {
	logging := one(w, "logging_configuration")
	if logging == nil {
		return nil
	}
	return &sfntypes.LoggingConfiguration{Level: sfntypes.LogLevel(str(logging, "level")), IncludeExecutionData: truth(logging, "include_execution_data"),
		Destinations: []sfntypes.LogDestination{{CloudWatchLogsLogGroup: &sfntypes.CloudWatchLogsLogGroup{LogGroupArn: aws.String(str(logging, "log_destination"))}}}}
}

func machineTracing(w Object) *sfntypes.TracingConfiguration {
	if tracing := one(w, "tracing_configuration"); tracing != nil {
		return &sfntypes.TracingConfiguration{Enabled: truth(tracing, "enabled")}
	}
	return nil
}

func machineEncryption(w Object) *sfntypes.EncryptionConfiguration {
	encryption := one(w, "encryption_configuration")
	if encryption == nil {
		return nil
	}
	return &sfntypes.EncryptionConfiguration{Type: sfntypes.EncryptionType(str(encryption, "type")), KmsKeyId: text(encryption, "kms_key_id"),
		KmsDataKeyReusePeriodSeconds: unlessZero(encryption, "kms_data_key_reuse_period_seconds")}
}

func machineCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	if err := permitted(ctx, c, str(w, "role_arn")); err != nil {
		return "", err
	}
	output, err := c.sfn.CreateStateMachine(ctx, &sfn.CreateStateMachineInput{
		Name: aws.String(str(w, "name")), Type: sfntypes.StateMachineType(str(w, "type")), RoleArn: aws.String(str(w, "role_arn")),
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
		"tags_all": tagObject(tags.Tags, func(tag sfntypes.Tag) (*string, *string) { return tag.Key, tag.Value })}, nil
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

func groupTag(key, value *string) schedulertypes.Tag {
	return schedulertypes.Tag{Key: key, Value: value}
}

func groupCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	_, err := c.scheduler.CreateScheduleGroup(ctx, &scheduler.CreateScheduleGroupInput{Name: aws.String(str(w, "name")), Tags: tagList(w, groupTag)})
	return made(str(w, "name"), err)
}

func groupRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.scheduler.GetScheduleGroup(ctx, &scheduler.GetScheduleGroupInput{Name: aws.String(str(s, "id"))})
	if err != nil {
		return nil, unlessGone(err)
	}
	tags, err := c.scheduler.ListTagsForResource(ctx, &scheduler.ListTagsForResourceInput{ResourceArn: output.Arn})
	if err != nil {
		return nil, err
	}
	return Object{"arn": aws.ToString(output.Arn), "name": aws.ToString(output.Name), "name_prefix": "", "state": string(output.State),
		"creation_date": fmt.Sprint(output.CreationDate), "last_modification_date": fmt.Sprint(output.LastModificationDate),
		"tags_all": tagObject(tags.Tags, func(tag schedulertypes.Tag) (*string, *string) { return tag.Key, tag.Value })}, nil
}

func groupUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	arn := aws.String(str(w, "arn"))
	return retag(prior, w, func() error {
		_, err := c.scheduler.TagResource(ctx, &scheduler.TagResourceInput{ResourceArn: arn, Tags: tagList(w, groupTag)})
		return err
	}, func(names []string) error {
		_, err := c.scheduler.UntagResource(ctx, &scheduler.UntagResourceInput{ResourceArn: arn, TagKeys: names})
		return err
	})
}

func groupDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.scheduler.DeleteScheduleGroup(ctx, &scheduler.DeleteScheduleGroupInput{Name: aws.String(str(s, "id"))})
	return unlessGone(err)
}

func scheduleCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	if err := permitted(ctx, c, str(one(w, "target"), "role_arn")); err != nil {
		return "", err
	}
	output, err := c.scheduler.CreateSchedule(ctx, &scheduler.CreateScheduleInput{
		Name: aws.String(str(w, "name")), GroupName: text(w, "group_name"), Description: text(w, "description"),
		ScheduleExpression: aws.String(str(w, "schedule_expression")), ScheduleExpressionTimezone: text(w, "schedule_expression_timezone"),
		State: schedulertypes.ScheduleState(str(w, "state")), StartDate: moment(w, "start_date"), EndDate: moment(w, "end_date"),
		ActionAfterCompletion: schedulertypes.ActionAfterCompletion(str(w, "action_after_completion")), KmsKeyArn: text(w, "kms_key_arn"),
		FlexibleTimeWindow: timeWindow(w), Target: target(w),
	})
	if err != nil {
		return "", err
	}
	arn := *output.ScheduleArn
	return arn[strings.Index(arn, ":schedule/")+len(":schedule/"):], nil
}

// The whole schedule: what an update leaves out goes back to its default.
func scheduleUpdate(ctx context.Context, c *Cloud, _, w Object) error {
	_, err := c.scheduler.UpdateSchedule(ctx, &scheduler.UpdateScheduleInput{
		Name: aws.String(str(w, "name")), GroupName: text(w, "group_name"), Description: text(w, "description"),
		ScheduleExpression: aws.String(str(w, "schedule_expression")), ScheduleExpressionTimezone: text(w, "schedule_expression_timezone"),
		State: schedulertypes.ScheduleState(str(w, "state")), StartDate: moment(w, "start_date"), EndDate: moment(w, "end_date"),
		ActionAfterCompletion: schedulertypes.ActionAfterCompletion(str(w, "action_after_completion")), KmsKeyArn: text(w, "kms_key_arn"),
		FlexibleTimeWindow: timeWindow(w), Target: target(w),
	})
	return err
}

func moment(of Object, name string) *time.Time {
	at, err := time.Parse(time.RFC3339, str(of, name))
	if err != nil {
		return nil
	}
	return &at
}

func momentText(at *time.Time) any {
	if at == nil {
		return nil
	}
	return at.UTC().Format(time.RFC3339)
}

func timeWindow(w Object) *schedulertypes.FlexibleTimeWindow {
	window := one(w, "flexible_time_window")
	return &schedulertypes.FlexibleTimeWindow{Mode: schedulertypes.FlexibleTimeWindowMode(str(window, "mode")), MaximumWindowInMinutes: unlessZero(window, "maximum_window_in_minutes")}
}

func target(w Object) *schedulertypes.Target {
	t := one(w, "target")
	result := &schedulertypes.Target{Arn: aws.String(str(t, "arn")), RoleArn: aws.String(str(t, "role_arn")), Input: text(t, "input")}
	if policy := one(t, "retry_policy"); policy != nil {
		result.RetryPolicy = &schedulertypes.RetryPolicy{MaximumEventAgeInSeconds: aws.Int32(number(policy, "maximum_event_age_in_seconds")), MaximumRetryAttempts: aws.Int32(number(policy, "maximum_retry_attempts"))}
	}
	if letters := one(t, "dead_letter_config"); letters != nil {
		result.DeadLetterConfig = &schedulertypes.DeadLetterConfig{Arn: aws.String(str(letters, "arn"))}
	}
	return result
}

func scheduleRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	group, name, _ := strings.Cut(str(s, "id"), "/")
	output, err := c.scheduler.GetSchedule(ctx, &scheduler.GetScheduleInput{GroupName: &group, Name: &name})
	if err != nil {
		return nil, unlessGone(err)
	}
	window := Object{"mode": string(output.FlexibleTimeWindow.Mode), "maximum_window_in_minutes": nil}
	if output.FlexibleTimeWindow.MaximumWindowInMinutes != nil {
		window["maximum_window_in_minutes"] = *output.FlexibleTimeWindow.MaximumWindowInMinutes
	}
	return Object{"arn": aws.ToString(output.Arn), "name": name, "name_prefix": "", "group_name": group, "description": aws.ToString(output.Description),
		"schedule_expression": aws.ToString(output.ScheduleExpression), "schedule_expression_timezone": aws.ToString(output.ScheduleExpressionTimezone),
		"state": string(output.State), "start_date": sameMoment(s, "start_date", output.StartDate), "end_date": sameMoment(s, "end_date", output.EndDate),
		"action_after_completion": orElse(string(output.ActionAfterCompletion), "NONE"), "kms_key_arn": aws.ToString(output.KmsKeyArn),
		"flexible_time_window": []any{window}, "target": []any{targetRead(s, output.Target)}}, nil
}

// sameMoment keeps the text of a moment that is still the same: 12:00:00Z and 12:00:00.000Z are.
func sameMoment(s Object, name string, at *time.Time) any {
	if was := moment(s, name); was != nil && at != nil && was.Equal(*at) {
		return str(s, name)
	}
	return momentText(at)
}

func targetRead(s Object, seen *schedulertypes.Target) Object {
	t := copyOf(one(s, "target"))
	t["arn"], t["role_arn"], t["input"] = aws.ToString(seen.Arn), aws.ToString(seen.RoleArn), nil
	if seen.Input != nil {
		t["input"] = *seen.Input
	}
	t["dead_letter_config"] = []any{}
	if letters := seen.DeadLetterConfig; letters != nil {
		t["dead_letter_config"] = []any{Object{"arn": aws.ToString(letters.Arn)}}
	}
	// EventBridge Scheduler fills it in where it is left out.
	if policy := seen.RetryPolicy; policy != nil && (one(t, "retry_policy") != nil || one(s, "target") == nil) {
		t["retry_policy"] = []any{Object{"maximum_event_age_in_seconds": aws.ToInt32(policy.MaximumEventAgeInSeconds), "maximum_retry_attempts": aws.ToInt32(policy.MaximumRetryAttempts)}}
	}
	return t
}

func scheduleDelete(ctx context.Context, c *Cloud, s Object) error {
	group, name, _ := strings.Cut(str(s, "id"), "/")
	_, err := c.scheduler.DeleteSchedule(ctx, &scheduler.DeleteScheduleInput{GroupName: &group, Name: &name})
	return unlessGone(err)
}
