/** Who a ticket is of. */
export interface Principal {
  /** With the realm, as the key distribution centre spells it: what an account is known by. */
  readonly full: string;
  readonly user: string;
  readonly realm: string;
}

const maxLength = 255;

/**
 * Undefined for who is no person: hosts and services have two parts, computers of Active Directory end in `$` (where whoever
 * may join computers could take somebody's name), and what is escaped means none of ours.
 */
export function readPrincipal(text: string): Principal | undefined {
  if (text.length > maxLength) return undefined;
  const [, user, realm] = /^([^\s@/\\:]+)@([^\s@/\\:]+)$/.exec(text) ?? [];
  return user && !user.endsWith('$') && realm ? { full: text, user, realm } : undefined;
}

/** The wished name of a new account. */
export const accountName = (
  { user, realm }: Principal,
  settings: { readonly stripDomainNames: boolean; readonly separatorReplacement: string },
): string => (settings.stripDomainNames ? user : `${user}${settings.separatorReplacement}${realm}`);
