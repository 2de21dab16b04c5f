/** The public contract of `releases`. */
export {};
