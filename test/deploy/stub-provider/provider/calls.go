package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
)

var logged sync.Mutex

// recordCalls appends a line for each call, with its parameters, to the file STUB_AWS_LOG.
func recordCalls(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Record", func(ctx context.Context, input middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		began := time.Now()
		output, metadata, err := next.HandleInitialize(ctx, input)
		if file := os.Getenv("STUB_AWS_LOG"); file != "" {
			line, _ := json.Marshal(map[string]any{
				"at": began.UTC().Format(time.RFC3339Nano), "service": awsmiddleware.GetServiceID(ctx),
				"call": awsmiddleware.GetOperationName(ctx), "about": about(input.Parameters), "error": errorText(err),
				"input": withoutCode(input.Parameters),
			})
			logged.Lock()
			defer logged.Unlock()
			if log, openError := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); openError == nil {
				fmt.Fprintln(log, string(line))
				log.Close()
			}
		}
		return output, metadata, err
	}), middleware.After)
}

// withoutCode leaves out the zip archive, which nobody wants to read.
func withoutCode(input any) any {
	switch call := input.(type) {
	case *lambda.CreateFunctionInput:
		copied := *call
		copied.Code = nil
		return copied
	case *lambda.UpdateFunctionCodeInput:
		copied := *call
		copied.ZipFile = nil
		return copied
	}
	return input
}

// changes counts the calls of this run that change something.
var changes atomic.Int64

// readOnly are the beginnings of the names of all other calls.
var readOnly = []string{"Get", "List", "Describe", "Head"}

// failOnDemand refuses a call that STUB_AWS_FAIL names: "CreateStateMachine" or "CreateSchedule=precise-ttl-Tokens-tick", or "#12": the twelfth
// one that changes something and all after it, as when credentials end.
func failOnDemand(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Fail", func(ctx context.Context, input middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		operation := awsmiddleware.GetOperationName(ctx)
		var change int64
		if !slices.ContainsFunc(readOnly, func(beginning string) bool { return strings.HasPrefix(operation, beginning) }) {
			change = changes.Add(1)
		}
		for _, each := range strings.Split(os.Getenv("STUB_AWS_FAIL"), ",") {
			call, name, named := strings.Cut(each, "=")
			from, err := strconv.ParseInt(strings.TrimPrefix(call, "#"), 10, 64)
			if err == nil && change >= from || call == operation && (!named || name == about(input.Parameters)) {
				return middleware.InitializeOutput{}, middleware.Metadata{}, &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "refused by STUB_AWS_FAIL"}
			}
		}
		return next.HandleInitialize(ctx, input)
	}), middleware.After)
}

// slowDown delays a call that STUB_AWS_SLOW names by a second, so that what should wait for it and does not comes first.
func slowDown(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Slow", func(ctx context.Context, input middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		if slices.Contains(strings.Split(os.Getenv("STUB_AWS_SLOW"), ","), awsmiddleware.GetOperationName(ctx)) {
			time.Sleep(time.Second)
		}
		return next.HandleInitialize(ctx, input)
	}), middleware.After)
}

// about is the name of what a call is about, from whichever of the usual fields there is.
func about(input any) string {
	raw, _ := json.Marshal(input)
	var fields map[string]any
	_ = json.Unmarshal(raw, &fields)
	for _, name := range []string{"TableName", "FunctionName", "PolicyName", "RoleName", "LogGroupName", "LogGroupNamePrefix", "QueueName", "QueueUrl",
		"AlarmName", "DashboardName", "TopicArn", "Bucket", "Name", "StateMachineArn", "ResourceArn"} {
		if text, ok := fields[name].(string); ok {
			return text
		}
	}
	return ""
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// gone says whether an error means that the thing is not there.
func gone(err error) bool {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode() {
	case "ResourceNotFoundException", "ResourceNotFound", "NotFoundException", "NotFound", "NoSuchEntity", "NoSuchEntityException",
		"NoSuchBucket", "NoSuchLifecycleConfiguration", "NoSuchPublicAccessBlockConfiguration", "ServerSideEncryptionConfigurationNotFoundError",
		"StateMachineDoesNotExist", "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", "com.amazonaws.sqs#QueueDoesNotExist":
		return true
	}
	return false
}

func hasCode(err error, code string) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == code
}

func unlessGone(err error) error {
	if gone(err) {
		return nil
	}
	return err
}
