/** A name in Terraform's way: `granularityMinutes` is `granularity_minutes`. */
export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}
