/** Version of this SDK; plugins declare a range on it. Equals package.json. */
export const sdkVersion = '1.1.0';
