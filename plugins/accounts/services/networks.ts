/** This computer; also where there is no address, as with a Unix socket. */
export const isLoopback = (address: string): boolean =>
  address === '' || address === '::1' || /^(::ffff:)?127\./.test(address);
