package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/schemas"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/middleware"
	"github.com/aws/smithy-go/transport/http/protocol/awsjson"
)

// Cloud holds the clients. Their credentials are dummies: nothing here can sign a request that AWS would take.
type Cloud struct {
	region      string
	sdk         aws.Config
	cloudwatch  *cloudwatch.Client
	dynamodb    *dynamodb.Client
	eventbridge *eventbridge.Client
	iam         *iam.Client
	lambda      *lambda.Client
	logs        *cloudwatchlogs.Client
	s3          *s3.Client
	scheduler   *scheduler.Client
	sfn         *sfn.Client
	sns         *sns.Client
	sqs         *sqs.Client
	sts         *sts.Client
}

func newCloud(ctx context.Context, region, endpoint string) *Cloud {
	configuration, err := config.LoadDefaultConfig(ctx,
		config.WithRegion(region),
		config.WithSharedConfigFiles([]string{}), config.WithSharedCredentialsFiles([]string{}),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("stub", "stub", "")),
		config.WithRetryer(brokenTransport),
		config.WithAPIOptions([]func(*middleware.Stack) error{recordCalls, failOnDemand, slowDown}),
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
		cloudwatch:  cloudwatch.NewFromConfig(configuration, inJSON),
		dynamodb:    dynamodb.NewFromConfig(configuration),
		eventbridge: eventbridge.NewFromConfig(configuration),
		iam:         iam.NewFromConfig(configuration),
		lambda:      lambda.NewFromConfig(configuration),
		logs:        cloudwatchlogs.NewFromConfig(configuration),
		s3:          s3.NewFromConfig(configuration, onePath),
		scheduler:   scheduler.NewFromConfig(configuration),
		sfn:         sfn.NewFromConfig(configuration),
		sns:         sns.NewFromConfig(configuration),
		sqs:         sqs.NewFromConfig(configuration),
		sts:         sts.NewFromConfig(configuration),
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
