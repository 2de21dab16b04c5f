/** Characters that change the direction of text, and can make code read otherwise than it runs. */
const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const hasBidi = (text: string): boolean => text.search(bidi) >= 0;

/** Shows them in the HTML of a line, where they stand: `title` is what a pointer is told of each. */
export const markBidi = (html: string, title: (name: string) => string): string =>
  html.replace(bidi, (sign) => {
    const name = `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
    return `<span class="bidi-mark" title="${title(name)}">${name}</span>`;
  });
