export { describedBy, openApiDocument } from './document.ts';
export { problemExample } from './problems.ts';
export { documentText } from './text.ts';
