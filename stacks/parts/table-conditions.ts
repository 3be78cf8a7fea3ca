// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { modelOf } from '../../config/deployments.ts';
import { type KeyType, type ResolvedProps, readsStream } from '../../config/props.ts';
import { escaped, literal } from '../../config/terraform-text.ts';

/** A condition that Terraform checks after it has read the table; if it is false, the plan fails with its message. */
export interface Postcondition {
  readonly condition: string;
  readonly error_message: string;
}

/**
 * The conditions of an existing table, which are checked before its sweep is deployed. With other keys each delete of the sweep would
 * fail.
 *
 * The data source does not read an index's status, so one that is still CREATING passes: the sweep's queries are refused until it is
 * ACTIVE, and its executions fail with that error.
 */
export function tableConditions(props: ResolvedProps): Postcondition[] {
  const { tableName, partitionKey, partitionKeyType, sortKey, sortKeyType } = props;
  const { indexName, ttlAttribute } = props;
  const { windowAttribute } = modelOf(props);
  const onTtlAttribute = `ttl.attribute_name == ${literal(ttlAttribute)}`;
  // The message is evaluated even when its condition holds, and a null would fail the plan.
  const sortKeyOrMissing = '${try(length(self.range_key), 0) == 0 ? "missing" : self.range_key}';
  const correct = 'Correct it in the configuration.';
  const condition = (test: string, problem: string, remedy: string) =>
    conditionOf(props, test, problem, remedy);
  /** The attributes include the keys of the table and of its indexes. */
  const typed = (attribute: string, type: KeyType, remedy: string) =>
    condition(
      `alltrue([for a in self.attribute : a.type == "${type}" if a.name == ${literal(attribute)}])`,
      `the key attribute ${escaped(attribute)} is not of type ${type}.`,
      remedy,
    );

  return [
    condition(
      `self.hash_key == ${literal(partitionKey)}`,
      `the partition key is \${self.hash_key}, not ${escaped(partitionKey)}.`,
      correct,
    ),
    sortKey === undefined
      ? condition(
          'try(length(self.range_key), 0) == 0',
          `it has the sort key ${sortKeyOrMissing}, and the configuration names none.`,
          correct,
        )
      : condition(
          `self.range_key == ${literal(sortKey)}`,
          `the sort key is ${sortKeyOrMissing}, not ${escaped(sortKey)}.`,
          correct,
        ),
    typed(partitionKey, partitionKeyType, 'Correct partitionKey.type in the configuration.'),
    ...(sortKey === undefined
      ? []
      : [typed(sortKey, sortKeyType, 'Correct sortKey.type in the configuration.')]),
    indexCondition(props),
    ...(windowAttribute === undefined ? [] : [typed(windowAttribute, 'S', 'The sweep needs it so.')]),
    typed(ttlAttribute, 'N', 'The sweep needs it so.'),
    condition(
      `alltrue([for i in self.global_secondary_index : i.projection_type == "KEYS_ONLY" if i.name == ${literal(indexName)}])`,
      `the index ${indexName} projects more than keys.`,
      'Every write and every query would cost capacity for attributes that the sweep never reads: add another index with KEYS_ONLY and name it in index.name.',
    ),
    condition(
      `anytrue([for ttl in self.ttl : ${onTtlAttribute}])`,
      `native TTL is not on the attribute ${escaped(ttlAttribute)}.`,
      'It is the backstop: turn it on first.',
    ),
    condition(
      `anytrue([for ttl in self.ttl : ttl.enabled || !(${onTtlAttribute})])`,
      `native TTL on ${escaped(ttlAttribute)} is not ENABLED yet.`,
      `It is ENABLING for up to an hour after it was turned on. Deploy again when it is ENABLED: aws dynamodb describe-time-to-live --table-name ${tableName}.`,
    ),
    ...(readsStream(props) ? streamConditions() : []),
  ];

  /** Conditions of `archive` and `events`. The ARN of a stream that was turned off stays in the table for a day. */
  function streamConditions(): Postcondition[] {
    const turnOn = `aws dynamodb update-table --table-name ${tableName} --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES`;
    return [
      condition(
        'try(self.stream_enabled, false) == true',
        'it has no stream.',
        `archive and events need one. Turn it on first: ${turnOn}.`,
      ),
      condition(
        'try(self.stream_enabled, false) != true || contains(["OLD_IMAGE", "NEW_AND_OLD_IMAGES"], self.stream_view_type)',
        'its stream has no old images, but ${try(length(self.stream_view_type), 0) == 0 ? "nothing" : self.stream_view_type}.',
        'Without them nobody can tell whether a removed item had expired. A stream keeps its view: turn it off and on again with StreamViewType=NEW_AND_OLD_IMAGES, and have its other readers begin again.',
      ),
    ];
  }
}

function conditionOf(
  { tableName }: ResolvedProps,
  test: string,
  problem: string,
  remedy: string,
): Postcondition {
  return {
    condition: `\${${test}}`,
    error_message: `Table ${tableName}: ${problem} ${remedy} See docs/adopt.md of precise-ttl.`,
  };
}

/**
 * The condition on the index, also of a table that the deployment makes: the next deployments leave its indexes alone, so one that the
 * configuration has changed would never be made, and the sweep would find nothing.
 */
export function indexCondition(props: ResolvedProps): Postcondition {
  const { indexName, ttlAttribute } = props;
  const { windowAttribute } = modelOf(props);
  const [keys, test] =
    windowAttribute === undefined
      ? [ttlAttribute, `i.hash_key == ${literal(ttlAttribute)} && try(length(i.range_key), 0) == 0`]
      : [
          `${windowAttribute} and ${ttlAttribute}`,
          `i.hash_key == ${literal(windowAttribute)} && i.range_key == ${literal(ttlAttribute)}`,
        ];
  return conditionOf(
    props,
    `anytrue([for i in self.global_secondary_index : i.name == ${literal(indexName)} && ${test}])`,
    `it has no index ${indexName} with the keys ${escaped(keys)}.`,
    "An index's keys cannot be changed: correct index and ttlAttribute in the configuration, or add such an index first: npx precise-ttl adopt says how.",
  );
}
