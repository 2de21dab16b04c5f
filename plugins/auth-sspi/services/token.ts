const scheme = /^Negotiate(?: |$)/i;
const wellFormed = /^Negotiate +([A-Za-z0-9+/]{4,}={0,2})$/i;
/** Of base64; tickets of people in many groups have some fifty thousand. */
const maxLength = 65_536;
/** How a token of SPNEGO begins (RFC 4178 3.1, RFC 2743 3.1): NTLM, and Kerberos by itself, do not. */
const spnego = Buffer.from('06062b0601050502', 'hex');
/** The frame and its length stand before it. */
const maxFrame = 6;

export const isNegotiate = (header: string): boolean => scheme.test(header);

/** The token of a header `Authorization: Negotiate …` in base64; undefined: it has none that could hold. */
export function tokenOf(header: string): string | undefined {
  if (header.length > maxLength) return undefined;
  const token = wellFormed.exec(header)?.[1];
  if (!token) return undefined;
  const begin = Buffer.from(token.slice(0, 40), 'base64');
  if (begin[0] !== 0x60) return undefined;
  const at = begin.indexOf(spnego);
  return at > 0 && at <= maxFrame ? token : undefined;
}
