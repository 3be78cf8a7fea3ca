import { BILL_PARTS, type Bill, type BillPart } from '../../cost/bill.ts';
import { NEW_TABLE_UNITS, PARTITION_UNITS, type ShardAdvice } from '../../expiry/partition-rule.ts';
import type { BillFacts } from '../../operate/cost.ts';

/** Tables that are listed by name; the others are only counted. */
const NAMED_TABLES = 3;

const TITLES: Readonly<Record<BillPart, string>> = {
  sweep: 'The sweep',
  monitoring: 'What watches it',
  table: 'The index of each table, and its deletes',
  pipes: 'Archives and events',
};

/** The bill, line by line. */
export function describeBill(bill: Bill, facts: BillFacts): string {
  const amountOf = ({ amount, unit }: Pick<Bill['lines'][number], 'amount' | 'unit'>) =>
    `${count(amount)} ${amount === 1 ? unit.replace(/s$/, '') : unit}`;
  // A long name takes space from the column of amounts.
  const counted = widthOf(bill.lines.map(line => `${line.name}  ${amountOf(line)}`));
  const prices = widthOf([bill.total, facts.nativeDollars].map(money));
  const row = (name: string, amount: string, dollars: number, free = '') =>
    `  ${name}${amount.padStart(counted - name.length)}  ${money(dollars).padStart(prices)}  ${free}`.trimEnd();
  const there = BILL_PARTS.filter(part => bill.lines.some(line => line.part === part));
  const parts = there.flatMap(part => [
    '',
    `${TITLES[part]}: ${money(bill.byPart[part])}`,
    ...bill.lines
      .filter(line => line.part === part)
      .map(line =>
        row(line.name, amountOf(line), line.dollars, line.free && `free per account: ${line.free}`),
      ),
  ]);
  return [
    describeFacts(facts),
    ...describeShards(facts),
    ...parts,
    '',
    row('A month with precise-ttl', '', bill.total),
    row('The same with native TTL alone', '', facts.nativeDollars),
    '',
    'Native TTL deletes for free and needs no index; published measurements of it range from 8 to 28 minutes after the expiry ' +
      '(https://bahr.dev/2019/05/29/ddb-ttl-analysis/), and AWS promises "a few days". Prices: us-east-1, on demand, 30 days; what is ' +
      "free per account is not taken off. The table's own reads, writes and storage are the same in both, and not in it.",
  ].join('\n');
}

function describeFacts({ tables, deployments, itemsPerMonth, settings, ...item }: BillFacts): string {
  const together = deployments === 1 ? 'swept together' : `swept by ${count(deployments)} deployments`;
  const among = tables === 1 ? 'in one table' : `spread evenly over ${count(tables)} tables, ${together}`;
  const renewals =
    item.renewalsPerItem === 0 ? 'not renewed' : `renewed ${count(item.renewalsPerItem)} times`;
  return [
    `${count(itemsPerMonth)} items expire a month, evenly, ${among}: ${count(item.itemBytes)} bytes each, ${renewals}, ${count(item.lifetimeHours)} hours in the table.`,
    ...settings.map(each => `${settings.length === 1 ? 'Each table' : namesOf(each.tables)}: ${each.words}.`),
  ].join('\n');
}

function namesOf(tables: readonly string[]): string {
  const more = tables.length - NAMED_TABLES;
  return more > 0 ? `${tables.slice(0, NAMED_TABLES).join(', ')} and ${count(more)} more` : tables.join(', ');
}

/** Describes why the shards are too few; empty if they are enough. */
function describeShards(facts: BillFacts): string[] {
  const { settings, shardTable, shards, indexWritesPerSecond, shardAdvice } = facts;
  const { verdict } = shardAdvice;
  if (verdict === 'holds') return [];
  const writes = `${count(Math.round(indexWritesPerSecond))} puts and deletes a second in the index of ${settings.length === 1 ? 'each table' : shardTable}`;
  const on = `${count(shards)} shard${shards === 1 ? '' : 's'}`;
  const what =
    verdict === 'impossible'
      ? `✗ This cannot be: ${writes}, on ${on}. DynamoDB takes ${count(PARTITION_UNITS)} a second of a shard.`
      : `✗ Items will be late, and your own writes throttled: ${writes}, on ${on} and an index that is warm for ${count(NEW_TABLE_UNITS)}, as a new one is.`;
  return [
    '',
    what,
    `  It takes ${describeAdvice(shardAdvice)}: docs/reference/configuration.md, "How many shards".`,
  ];
}

const widthOf = (texts: readonly string[]): number => Math.max(...texts.map(({ length }) => length));

/** Rounds small amounts to hundredths and large ones to whole numbers. */
function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 });
}

function money(dollars: number): string {
  return `$${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** Settings with which the index can take its writes, e.g. `shards: 328, and an index that is warm for 84,000 write units a second`. */
export function describeAdvice({ shards, warmUnits }: Pick<ShardAdvice, 'shards' | 'warmUnits'>): string {
  const warm = `an index that is warm for ${warmUnits.toLocaleString('en-US')} write units a second`;
  return shards === undefined
    ? `an index by window, which has shards, or more tables`
    : `shards: ${shards}, and ${warm}`;
}
