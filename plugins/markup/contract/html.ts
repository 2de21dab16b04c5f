declare const safe: unique symbol;

/** HTML that passed the sanitizer, or plain text that was escaped. */
export type SafeHtml = string & { readonly [safe]: true };
