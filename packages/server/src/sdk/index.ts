export { mountTools } from "./mount-tools.ts";
export type { MountOptions } from "./mount-tools.ts";
export { sdkOpen, serveSdk } from "./serve-sdk.ts";
export type { CreateSdkServer, ServeSdkOptions } from "./serve-sdk.ts";
export type { Mounted, SdkServer } from "./sdk-session.ts";
