export {
  asNumber,
  escapedSize,
  fitsEscaped,
  type Parsed,
  parseJson,
  parseWhere,
} from './json.ts';
export { mistakeIn } from './mistake.ts';
