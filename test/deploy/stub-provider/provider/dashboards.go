package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
)

func dashboardCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	return made(str(w, "dashboard_name"), putDashboard(ctx, c, w))
}

func putDashboard(ctx context.Context, c *Cloud, w Object) error {
	output, err := c.cloudwatch.PutDashboard(ctx, &cloudwatch.PutDashboardInput{DashboardName: aws.String(str(w, "dashboard_name")), DashboardBody: aws.String(str(w, "dashboard_body"))})
	if err != nil {
		return err
	}
	// CloudWatch keeps a dashboard with such widgets, and shows them empty.
	for _, message := range output.DashboardValidationMessages {
		return fmt.Errorf("the dashboard %s: %s: %s", str(w, "dashboard_name"), aws.ToString(message.DataPath), aws.ToString(message.Message))
	}
	return nil
}

func dashboardRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.cloudwatch.GetDashboard(ctx, &cloudwatch.GetDashboardInput{DashboardName: aws.String(str(s, "id"))})
	if err != nil {
		return nil, unlessGone(err)
	}
	return Object{"dashboard_arn": aws.ToString(output.DashboardArn), "dashboard_body": aws.ToString(output.DashboardBody), "dashboard_name": aws.ToString(output.DashboardName)}, nil
}

func dashboardUpdate(ctx context.Context, c *Cloud, _, w Object) error {
	return putDashboard(ctx, c, w)
}

func dashboardDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.cloudwatch.DeleteDashboards(ctx, &cloudwatch.DeleteDashboardsInput{DashboardNames: []string{str(s, "id")}})
	return unlessGone(err)
}
