/** Converts a name to Terraform's style: `granularityMinutes` becomes `granularity_minutes`. */
export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

/** Converts a text with props, such as `deleteMode: 'batch'`, to HCL. */
export function inHcl(text: string): string {
  return text
    .replaceAll(/'([^']*)'/g, '"$1"')
    .replaceAll(/(?<!")\b[a-z]+[A-Z][A-Za-z]*\b/g, snake)
    .replaceAll(/\b([a-z_]+): (?=["\d{])/g, '$1 = ');
}
