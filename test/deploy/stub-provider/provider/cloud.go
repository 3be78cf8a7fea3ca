package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/schemas"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/firehose"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/pipes"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	"github.com/aws/smithy-go/transport/http/protocol/awsjson"
)

// Cloud holds the clients. Their credentials are dummies: nothing here can sign a request that AWS would take.
type Cloud struct {
	region     string
	sdk        aws.Config
	cloudwatch *cloudwatch.Client
	dynamodb   *dynamodb.Client
	firehose   *firehose.Client
	iam        *iam.Client
	lambda     *lambda.Client
	logs       *cloudwatchlogs.Client
	pipes      *pipes.Client
	s3         *s3.Client
	scheduler  *scheduler.Client
	sfn        *sfn.Client
	sns        *sns.Client
	sqs        *sqs.Client
	sts        *sts.Client
}

func newCloud(ctx context.Context, region, endpoint string) *Cloud {
	configuration, err := config.LoadDefaultConfig(ctx,
		config.WithRegion(region),
		config.WithSharedConfigFiles([]string{}), config.WithSharedCredentialsFiles([]string{}),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("stub", "stub", "")),
		config.WithRetryer(brokenTransport),
		config.WithAPIOptions([]func(*middleware.Stack) error{recordCalls, failOnDemand}),
	)
	must(err)
	// Not by an option of the loading: that would win over the endpoints that are set for single services.
	configuration.BaseEndpoint = &endpoint
	return cloudOf(configuration, region)
}

// brokenTransport repeats a call whose connection broke, which happens on a busy machine. What the emulator answers is
// final: an error that is not expected must be seen.
func brokenTransport() aws.Retryer {
	return retry.NewStandard(func(options *retry.StandardOptions) {
		options.MaxAttempts = 5
		options.Retryables = []retry.IsErrorRetryable{retry.NoRetryCanceledError{}, retry.RetryableConnectionError{}}
	})
}

// in gives the clients of another region: a resource is read and removed where its state says it is.
func (c *Cloud) in(region string) *Cloud {
	if region == "" || region == c.region {
		return c
	}
	return cloudOf(c.sdk, region)
}

func cloudOf(configuration aws.Config, region string) *Cloud {
	configuration.Region = region
	return &Cloud{
		region: region, sdk: configuration,
		cloudwatch: cloudwatch.NewFromConfig(configuration, inJSON),
		dynamodb:   dynamodb.NewFromConfig(configuration),
		firehose:   firehose.NewFromConfig(configuration),
		iam:        iam.NewFromConfig(configuration),
		lambda:     lambda.NewFromConfig(configuration),
		logs:       cloudwatchlogs.NewFromConfig(configuration),
		pipes:      pipes.NewFromConfig(configuration),
		s3:         s3.NewFromConfig(configuration, onePath),
		scheduler:  scheduler.NewFromConfig(configuration),
		sfn:        sfn.NewFromConfig(configuration),
		sns:        sns.NewFromConfig(configuration),
		sqs:        sqs.NewFromConfig(configuration),
		sts:        sts.NewFromConfig(configuration),
	}
}

// inJSON is one of the protocols that CloudWatch speaks; the emulator does not know the SDK's first choice, CBOR.
func inJSON(options *cloudwatch.Options) {
	options.Protocol = awsjson.New10(schemas.GraniteServiceVersion20100801)
}

// onePath has the bucket in the path: there is one host.
func onePath(options *s3.Options) { options.UsePathStyle = true }

// notLoopback says what is wrong with an endpoint, also with one that is set for a single service.
func notLoopback(endpoint string) string {
	endpoints := map[string]string{"AWS_ENDPOINT_URL": endpoint}
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "AWS_ENDPOINT_URL_") && value != "" {
			endpoints[name] = value
		}
	}
	for name, value := range endpoints {
		parsed, err := url.Parse(value)
		if err != nil || (parsed.Hostname() != "localhost" && !net.ParseIP(parsed.Hostname()).IsLoopback()) {
			return fmt.Sprintf("%s must be a loopback URL such as http://127.0.0.1:5000, got %q", name, value)
		}
	}
	return ""
}

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

// failOnDemand refuses a call that STUB_AWS_FAIL names: "CreateStateMachine" or "CreateSchedule=precise-ttl-tick", or "#12": the twelfth
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

// about is the name of what a call is about, from whichever of the usual fields there is.
func about(input any) string {
	raw, _ := json.Marshal(input)
	var fields map[string]any
	_ = json.Unmarshal(raw, &fields)
	for _, name := range []string{"TableName", "FunctionName", "PolicyName", "RoleName", "LogGroupName", "LogGroupNamePrefix", "QueueName", "QueueUrl",
		"AlarmName", "DashboardName", "DeliveryStreamName", "TopicArn", "Bucket", "Name", "StateMachineArn", "ResourceArn"} {
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
		"NoSuchBucket", "NoSuchLifecycleConfiguration", "NoSuchPublicAccessBlockConfiguration", "ObjectLockConfigurationNotFoundError", "ServerSideEncryptionConfigurationNotFoundError",
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
