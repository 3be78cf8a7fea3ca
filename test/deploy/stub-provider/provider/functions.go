package main

import (
	"context"
	"fmt"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
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
		Code: &types.FunctionCode{ZipFile: zip}, Handler: aws.String(str(w, "handler")), Runtime: types.Runtime(str(w, "runtime")),
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

func architectures(w Object) (list []types.Architecture) {
	for _, each := range strs(w, "architectures") {
		list = append(list, types.Architecture(each))
	}
	return list
}

func functionEnvironment(w Object) *types.Environment {
	if environment := one(w, "environment"); environment != nil {
		return &types.Environment{Variables: texts(environment["variables"])}
	}
	return &types.Environment{Variables: map[string]string{}}
}

func functionLogging(w Object) *types.LoggingConfig {
	logging := one(w, "logging_config")
	if logging == nil {
		return nil
	}
	return &types.LoggingConfig{LogFormat: types.LogFormat(str(logging, "log_format")), LogGroup: aws.String(str(logging, "log_group")),
		ApplicationLogLevel: types.ApplicationLogLevel(str(logging, "application_log_level")), SystemLogLevel: types.SystemLogLevel(str(logging, "system_log_level"))}
}

func functionTracing(w Object) *types.TracingConfig {
	if tracing := one(w, "tracing_config"); tracing != nil {
		return &types.TracingConfig{Mode: types.TracingMode(str(tracing, "mode"))}
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
			FunctionName: name, Description: aws.String(str(w, "description")), Handler: aws.String(str(w, "handler")), Runtime: types.Runtime(str(w, "runtime")),
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
