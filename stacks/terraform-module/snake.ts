/** A name in Terraform's way: `granularityMinutes` is `granularity_minutes`. */
export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

/** What is written of props, such as `deleteMode: 'batch'`, as HCL has it. */
export function inHcl(text: string): string {
  return text
    .replaceAll(/'([^']*)'/g, '"$1"')
    .replaceAll(/(?<!")\b[a-z]+[A-Z][A-Za-z]*\b/g, snake)
    .replaceAll(/\b([a-z_]+): (?=["\d])/g, '$1 = ');
}
