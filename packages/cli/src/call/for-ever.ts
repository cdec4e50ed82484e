/** The longest that a timer can be set to, in milliseconds: some 24 days. */
export const FOR_EVER: number = 2 ** 31 - 1;
