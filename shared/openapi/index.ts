export { describedBy, documentText, openApiDocument } from './document.ts';
export { problemExample } from './problems.ts';
