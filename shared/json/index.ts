export {
  asNumber,
  escapedSize,
  fitsEscaped,
  mayHaveUnusualNumbers,
  type Parsed,
  parseJson,
  parseWhere,
} from './json.ts';
export { mistakeIn } from './mistake.ts';
