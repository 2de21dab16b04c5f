/** Keys for push mirrors over ssh, in the form of OpenSSH. */
export async function generateSshKey(
  comment: string,
): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  // Few mirrors need one: the library is loaded with the first key, and not with every start.
  const { default: ssh2 } = await import('ssh2');
  const { public: publicKey, private: privateKey } = ssh2.utils.generateKeyPairSync('ed25519', { comment });
  return { publicKey, privateKey };
}
