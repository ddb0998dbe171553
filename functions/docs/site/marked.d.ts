/** Of marked 4, which comes without types, what is used. */
declare module 'marked' {
  interface Options {
    readonly mangle?: boolean;
    readonly headerIds?: boolean;
  }
  export const marked: {
    parse(markdown: string, options?: Options): string;
    parseInline(markdown: string, options?: Options): string;
  };
}
