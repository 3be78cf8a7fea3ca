/** Works through items in their order, some at a time. The first error ends it. */
export async function atOnce<Item, Done>(
  most: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Done>,
): Promise<Done[]> {
  const done: Done[] = [];
  const pending = items.entries();
  const worker = async () => {
    for (const [index, item] of pending) done[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return done;
}
