/** The public contract of `git-ssh`: further commands over SSH, and the addresses to clone from. */
export { type SshCommand, sshCommands, sshAddresses } from './contract/git-ssh.js';
