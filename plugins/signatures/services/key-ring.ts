import { openpgp } from './library.js';

/** All keys in one armoured block, as `gpg --import` takes it; an empty block when there are none. */
export async function keyRing(armoredKeys: readonly string[]): Promise<string> {
  const packets = await Promise.all(
    armoredKeys.map(async (armoredKey) => (await openpgp().readKey({ armoredKey })).write()),
  );
  return armorKeys(Buffer.concat(packets));
}

/** With a checksum: without one gpg does not see the end of a block whose base64 is not padded. */
export function armorKeys(bytes: Uint8Array): string {
  const { armor, config, enums } = openpgp();
  const comment = bytes.length > 0 ? undefined : 'this account has no GPG keys';
  return armor(enums.armor.publicKey, new Uint8Array(bytes), undefined, undefined, comment, true, config);
}
