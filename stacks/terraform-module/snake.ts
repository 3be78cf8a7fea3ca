/** A name in Terraform's way: `granularityMinutes` is `granularity_minutes`. */
export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

/** A text on props, such as `deleteMode: 'batch'`, in the form of HCL. */
export function inHcl(text: string): string {
  return text
    .replaceAll(/'([^']*)'/g, '"$1"')
    .replaceAll(/(?<!")\b[a-z]+[A-Z][A-Za-z]*\b/g, snake)
    .replaceAll(/\b([a-z_]+): (?=["\d{])/g, '$1 = ');
}
