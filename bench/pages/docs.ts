import { readFile, writeFile } from 'node:fs/promises';

const MARKED = /(<!-- bench:pages -->\n)[\s\S]*?(<!-- \/bench:pages -->)/;

/** Puts figures where a page of documentation keeps them. @throws Error when it has no such place */
export async function writeIntoDocs(file: string, figures: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (!MARKED.test(text)) throw new Error(`${file} has no place marked bench:pages`);
  await writeFile(
    file,
    text.replace(MARKED, (_, before: string, after: string) => `${before}\n${figures}\n\n${after}`),
  );
}
