package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
)

func alarmTag(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} }

func alarmCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	name := str(w, "alarm_name")
	there, err := describeAlarm(ctx, c, name)
	if err != nil {
		return "", err
	}
	if there != nil { // CloudWatch would change it
		return "", fmt.Errorf("CloudWatch metric alarm %q already exists", name)
	}
	return made(name, putAlarm(ctx, c, w, tagList(w, alarmTag)))
}

func putAlarm(ctx context.Context, c *Cloud, w Object, tags []types.Tag) error {
	input := &cloudwatch.PutMetricAlarmInput{
		AlarmName: aws.String(str(w, "alarm_name")), AlarmDescription: text(w, "alarm_description"), ActionsEnabled: aws.Bool(truth(w, "actions_enabled")),
		AlarmActions: strs(w, "alarm_actions"), OKActions: strs(w, "ok_actions"), InsufficientDataActions: strs(w, "insufficient_data_actions"),
		MetricName: text(w, "metric_name"), Namespace: text(w, "namespace"), Dimensions: dimensions(w), Unit: types.StandardUnit(str(w, "unit")),
		Statistic: types.Statistic(str(w, "statistic")), ExtendedStatistic: text(w, "extended_statistic"), Period: unlessZero(w, "period"),
		ComparisonOperator: types.ComparisonOperator(str(w, "comparison_operator")), EvaluationPeriods: aws.Int32(number(w, "evaluation_periods")),
		DatapointsToAlarm: unlessZero(w, "datapoints_to_alarm"), TreatMissingData: aws.String(str(w, "treat_missing_data")),
		EvaluateLowSampleCountPercentile: text(w, "evaluate_low_sample_count_percentiles"), ThresholdMetricId: text(w, "threshold_metric_id"), Tags: tags,
	}
	if input.ThresholdMetricId == nil {
		input.Threshold = aws.Float64(float(w, "threshold"))
	}
	for _, query := range objects(w, "metric_query") {
		input.Metrics = append(input.Metrics, metricQuery(query))
	}
	_, err := c.cloudwatch.PutMetricAlarm(ctx, input)
	return err
}

func dimensions(of Object) (list []types.Dimension) {
	values := texts(of["dimensions"])
	for _, name := range sortedKeys(values) {
		list = append(list, types.Dimension{Name: aws.String(name), Value: aws.String(values[name])})
	}
	return list
}

func metricQuery(of Object) types.MetricDataQuery {
	query := types.MetricDataQuery{Id: aws.String(str(of, "id")), Expression: text(of, "expression"), Label: text(of, "label"), AccountId: text(of, "account_id"),
		ReturnData: aws.Bool(truth(of, "return_data")), Period: unlessZero(of, "period")}
	if metric := one(of, "metric"); metric != nil {
		query.MetricStat = &types.MetricStat{Stat: aws.String(str(metric, "stat")), Period: aws.Int32(number(metric, "period")), Unit: types.StandardUnit(str(metric, "unit")),
			Metric: &types.Metric{MetricName: aws.String(str(metric, "metric_name")), Namespace: text(metric, "namespace"), Dimensions: dimensions(metric)}}
	}
	return query
}

func describeAlarm(ctx context.Context, c *Cloud, name string) (*types.MetricAlarm, error) {
	output, err := c.cloudwatch.DescribeAlarms(ctx, &cloudwatch.DescribeAlarmsInput{AlarmNames: []string{name}, AlarmTypes: []types.AlarmType{types.AlarmTypeMetricAlarm}})
	if err != nil || len(output.MetricAlarms) == 0 {
		return nil, err
	}
	return &output.MetricAlarms[0], nil
}

func alarmRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	alarm, err := describeAlarm(ctx, c, str(s, "id"))
	if err != nil || alarm == nil {
		return nil, err
	}
	tags, err := c.cloudwatch.ListTagsForResource(ctx, &cloudwatch.ListTagsForResourceInput{ResourceARN: alarm.AlarmArn})
	if err != nil {
		return nil, err
	}
	// The queries are kept as they are: CloudWatch's answer has defaults in them.
	return Object{"arn": aws.ToString(alarm.AlarmArn), "alarm_name": aws.ToString(alarm.AlarmName), "alarm_description": aws.ToString(alarm.AlarmDescription),
		"actions_enabled": aws.ToBool(alarm.ActionsEnabled), "alarm_actions": alarm.AlarmActions, "ok_actions": alarm.OKActions, "insufficient_data_actions": alarm.InsufficientDataActions,
		"metric_name": aws.ToString(alarm.MetricName), "namespace": aws.ToString(alarm.Namespace), "dimensions": dimensionObject(alarm.Dimensions), "unit": string(alarm.Unit),
		"statistic": string(alarm.Statistic), "extended_statistic": aws.ToString(alarm.ExtendedStatistic), "period": aws.ToInt32(alarm.Period),
		"comparison_operator": string(alarm.ComparisonOperator), "evaluation_periods": aws.ToInt32(alarm.EvaluationPeriods), "datapoints_to_alarm": aws.ToInt32(alarm.DatapointsToAlarm),
		"threshold": aws.ToFloat64(alarm.Threshold), "threshold_metric_id": aws.ToString(alarm.ThresholdMetricId),
		"treat_missing_data": orElse(aws.ToString(alarm.TreatMissingData), "missing"), "evaluate_low_sample_count_percentiles": aws.ToString(alarm.EvaluateLowSampleCountPercentile),
		"tags_all": tagObject(tags.Tags, func(tag types.Tag) (*string, *string) { return tag.Key, tag.Value })}, nil
}

func dimensionObject(list []types.Dimension) Object {
	object := Object{}
	for _, dimension := range list {
		object[aws.ToString(dimension.Name)] = aws.ToString(dimension.Value)
	}
	return object
}

func alarmUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	if changedBesidesTags(prior, w) {
		if err := putAlarm(ctx, c, w, nil); err != nil { // it takes tags of a new alarm only
			return err
		}
	}
	arn := aws.String(str(w, "arn"))
	return retag(prior, w, func() error {
		_, err := c.cloudwatch.TagResource(ctx, &cloudwatch.TagResourceInput{ResourceARN: arn, Tags: tagList(w, alarmTag)})
		return err
	}, func(names []string) error {
		_, err := c.cloudwatch.UntagResource(ctx, &cloudwatch.UntagResourceInput{ResourceARN: arn, TagKeys: names})
		return err
	})
}

// alarmProblem holds the checks that the provider makes of a whole plan.
func alarmProblem(planned Object) string {
	isSet := func(name string) bool { return !isZero(planned[name]) }
	if isSet("metric_name") && isSet("statistic") == isSet("extended_statistic") {
		return "One of `statistic` or `extended_statistic` must be set for a cloudwatch metric alarm"
	}
	for _, query := range objects(planned, "metric_query") {
		if str(query, "expression") != "" && one(query, "metric") != nil {
			return "No metric_query may have both `expression` and a `metric` specified"
		}
	}
	for _, name := range []string{"metric_name", "namespace", "dimensions", "period", "statistic", "extended_statistic"} {
		if isSet(name) && isSet("metric_query") {
			return name + " conflicts with metric_query"
		}
	}
	if planned["threshold"] != nil && isSet("threshold_metric_id") {
		return "threshold conflicts with threshold_metric_id"
	}
	return ""
}

func alarmDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.cloudwatch.DeleteAlarms(ctx, &cloudwatch.DeleteAlarmsInput{AlarmNames: []string{str(s, "id")}})
	return unlessGone(err)
}

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

func logGroupCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	name := str(w, "name")
	if _, err := c.logs.CreateLogGroup(ctx, &cloudwatchlogs.CreateLogGroupInput{LogGroupName: &name, KmsKeyId: text(w, "kms_key_id"), Tags: allTags(w)}); err != nil {
		return "", err
	}
	return name, setRetention(ctx, c, w)
}

func setRetention(ctx context.Context, c *Cloud, w Object) error {
	name, days := str(w, "name"), number(w, "retention_in_days")
	if days == 0 {
		_, err := c.logs.DeleteRetentionPolicy(ctx, &cloudwatchlogs.DeleteRetentionPolicyInput{LogGroupName: &name})
		return err
	}
	_, err := c.logs.PutRetentionPolicy(ctx, &cloudwatchlogs.PutRetentionPolicyInput{LogGroupName: &name, RetentionInDays: &days})
	return err
}

func logGroupRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	id := str(s, "id")
	output, err := c.logs.DescribeLogGroups(ctx, &cloudwatchlogs.DescribeLogGroupsInput{LogGroupNamePrefix: &id})
	if err != nil {
		return nil, err
	}
	for _, group := range output.LogGroups {
		if aws.ToString(group.LogGroupName) != id {
			continue
		}
		arn := strings.TrimSuffix(aws.ToString(group.Arn), ":*")
		tags, err := c.logs.ListTagsForResource(ctx, &cloudwatchlogs.ListTagsForResourceInput{ResourceArn: &arn})
		if err != nil {
			return nil, err
		}
		return Object{"arn": arn, "name": id, "name_prefix": "", "log_group_class": "STANDARD", "deletion_protection_enabled": false,
			"retention_in_days": aws.ToInt32(group.RetentionInDays), "tags_all": asObject(tags.Tags)}, nil
	}
	return nil, nil
}

// logGroupUpdate leaves a change of the key to the state: the emulator takes one for a new group only.
func logGroupUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	arn := aws.String(str(w, "arn"))
	err := retag(prior, w, func() error {
		_, err := c.logs.TagResource(ctx, &cloudwatchlogs.TagResourceInput{ResourceArn: arn, Tags: allTags(w)})
		return err
	}, func(names []string) error {
		_, err := c.logs.UntagResource(ctx, &cloudwatchlogs.UntagResourceInput{ResourceArn: arn, TagKeys: names})
		return err
	})
	if err != nil {
		return err
	}
	return setRetention(ctx, c, w)
}

func logGroupDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.logs.DeleteLogGroup(ctx, &cloudwatchlogs.DeleteLogGroupInput{LogGroupName: aws.String(str(s, "id"))})
	return unlessGone(err)
}

func logStreamCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	_, err := c.logs.CreateLogStream(ctx, &cloudwatchlogs.CreateLogStreamInput{LogGroupName: text(w, "log_group_name"), LogStreamName: text(w, "name")})
	return made(str(w, "name"), err)
}

func logStreamRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.logs.DescribeLogStreams(ctx, &cloudwatchlogs.DescribeLogStreamsInput{LogGroupName: text(s, "log_group_name"), LogStreamNamePrefix: text(s, "name")})
	if err != nil {
		return nil, unlessGone(err)
	}
	for _, stream := range output.LogStreams {
		if aws.ToString(stream.LogStreamName) == str(s, "name") {
			return Object{"arn": aws.ToString(stream.Arn), "name": str(s, "name"), "log_group_name": str(s, "log_group_name")}, nil
		}
	}
	return nil, nil
}

func logStreamDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.logs.DeleteLogStream(ctx, &cloudwatchlogs.DeleteLogStreamInput{LogGroupName: text(s, "log_group_name"), LogStreamName: text(s, "name")})
	return unlessGone(err)
}

// The emulator knows no saved queries: they are what the configuration says.
func queryCreate(_ context.Context, _ *Cloud, w Object) (string, error) {
	return made(str(w, "name"), nil)
}

func queryRead(_ context.Context, _ *Cloud, s Object) (Object, error) {
	return Object{"name": str(s, "name"), "query_definition_id": str(s, "id")}, nil
}

func queryUpdate(context.Context, *Cloud, Object, Object) error { return nil }

func queryDelete(context.Context, *Cloud, Object) error { return nil }
