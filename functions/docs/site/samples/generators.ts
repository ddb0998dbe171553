import { curlOf } from './curl.ts';
import { pythonOf } from './python.ts';
import type { Sample, SampleData } from './text.ts';
import { typescriptOf } from './typescript.ts';

/** How to send a request in each language. The browser runs this, too (`browser/try-it.js`). */
export const samplesFor = (request: SampleData): readonly Sample[] => [
  { language: 'curl', text: curlOf(request) },
  { language: 'TypeScript', text: typescriptOf(request) },
  { language: 'Python', text: pythonOf(request) },
];
