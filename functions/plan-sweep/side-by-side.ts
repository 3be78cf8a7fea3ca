export async function sideBySide<Input, Output>(
  inputs: readonly Input[],
  most: number,
  work: (input: Input) => Promise<Output>,
): Promise<Output[]> {
  const outputs: Output[] = [];
  const entries = inputs.entries();
  const worker = async () => {
    for (const [index, input] of entries) outputs[index] = await work(input);
  };
  await Promise.all(Array.from({ length: Math.min(most, inputs.length) }, worker));
  return outputs;
}
