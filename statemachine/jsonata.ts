/**
 * Pieces of JSONata that the definition is put together from.
 *
 * Terraform reads the definition as a template, so no expression may contain `${` or `%{`; an object constructor
 * right behind the opening delimiter is therefore set off by a space.
 */

/** An expression as the Amazon States Language takes it. */
export function jsonata(expression: string): string {
  return `{% ${expression.replaceAll(/\s+/g, ' ').trim()} %}`;
}

/** The value, or null where there is none: a missing value would be an evaluation error. */
export function orNull(expression: string): string {
  return `($exists(${expression}) ? ${expression} : null)`;
}

/**
 * An array of everything the expression yields. JSONata collapses a sequence of one to its element and of none to
 * nothing; brackets undo both.
 */
export function list(expression: string): string {
  return `[${expression}]`;
}

/** The sum of a field over an array of objects, 0 for an empty one. */
export function sumOf(array: string, field: string): string {
  return `$sum([0, ${array}.${field}])`;
}

/** Bytes that a value takes as JSON, at the most: UTF-8 has up to four for what isn't printable ASCII. */
function jsonBytes(value: string): string {
  return `$length($replace($string(${value}), /[^ -~]/, '****'))`;
}

/** Of the first `most` elements of a list those that fit into `bytes` of JSON together. */
export function firstThatFit(array: string, most: number, bytes: string): string {
  return list(`$reduce(${list(`(${array})[[0..${most - 1}]]`)}, function($kept, $next) {(
    $left := $kept.left - ${jsonBytes('$next')} - 1;
    $left < 0 ? $kept : {'left': $left, 'list': $append($kept.list, $next)}
  )}, {'left': ${bytes} - 2, 'list': []}).list`);
}

/**
 * {@link firstThatFit} for FailedKeys. When none fits, the first one is listed by the beginning of its key: what failed is
 * never only counted.
 */
export function failedThatFit(array: string, most: number, bytes: string): string {
  // A sixth as many characters, of up to four bytes each, leave room for the reason.
  return `(
    $fitting := ${firstThatFit(array, most, bytes)};
    $first := (${array})[0];
    $count($fitting) > 0 or $not($exists($first)) ? $fitting : [$exists($first.keyStart) ? $first : {
      'keyStart': $substring($string($first.key), 0, $floor(${bytes} / 6)),
      'reason': $substring($first.reason, 0, 100)
    }]
  )`;
}

/**
 * The histograms of several objects added up. A histogram is an object from bucket to count: adding arrays by index
 * would take the square of their length, since JSONata tests an index against every element.
 * @param holders expression that yields the objects
 * @param field the field that holds a histogram
 */
export function sumBuckets(holders: string, field: string): string {
  return `(
    $counts := ${list(holders)}.${field}.$each(function($count, $bucket) { {'bucket': $bucket, 'count': $count} });
    $exists($counts) ? $counts{bucket: $sum(count)} : {}
  )`;
}
