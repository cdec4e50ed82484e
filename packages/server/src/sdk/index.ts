export { mountTools } from "./mount-tools.ts";
export type { Mounted, MountOptions } from "./mount-tools.ts";
export { sdkOpen } from "./serve-sdk.ts";
export type { CreateSdkServer } from "./serve-sdk.ts";
export { serveSdk } from "./serve-sdk.ts";
export type { ServeSdkOptions } from "./serve-sdk.ts";
export type { SdkServer } from "./sdk-session.ts";
