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

/** The first elements of a list, as many as `most` allows and as fit into `characters` of JSON together. */
export function firstThatFit(array: string, most: number, characters: string): string {
  return list(`$reduce(${array}, function($kept, $next) {
    $count($kept) < ${most} and $length($string($append($kept, $next))) <= ${characters}
      ? $append($kept, $next)
      : $kept
  }, [])`);
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
