import { readFile, writeFile } from 'node:fs/promises';

/** Puts figures at the place that a page of documentation marks for them. @throws Error when it has no such place */
export async function writeIntoDocs(file: string, figures: string, place = 'bench:pages'): Promise<void> {
  const marked = new RegExp(`(<!-- ${place} -->\n)[\\s\\S]*?(<!-- /${place} -->)`);
  const text = await readFile(file, 'utf8');
  if (!marked.test(text)) throw new Error(`${file} has no place marked ${place}`);
  await writeFile(
    file,
    text.replace(marked, (_, before: string, after: string) => `${before}\n${figures}\n\n${after}`),
  );
}
