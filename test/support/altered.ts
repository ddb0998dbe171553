/** The text with another character in it, whatever stood there. It is not the last one: in base64 not all of its bits count. */
export function altered(text: string): string {
  const place = text.length - 10;
  return `${text.slice(0, place)}${text[place] === 'x' ? 'y' : 'x'}${text.slice(place + 1)}`;
}
