/** Keys for push mirrors over ssh, in the form of OpenSSH. */
import ssh2 from 'ssh2';

export function generateSshKey(comment: string): { readonly publicKey: string; readonly privateKey: string } {
  const { public: publicKey, private: privateKey } = ssh2.utils.generateKeyPairSync('ed25519', { comment });
  return { publicKey, privateKey };
}
