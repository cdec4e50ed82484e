import type { Transport as SdkTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
  RequestId as SdkRequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expectTypeOf, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import type {
  ErrorResponse,
  Message,
  Notification,
  Request,
  RequestId,
  ResultResponse,
  Transport,
} from "../src/index.ts";

describe("the types of the wire", () => {
  it(verifies("C10", "give and take the SDK's messages, kind by kind"), () => {
    expectTypeOf<RequestId>().toEqualTypeOf<SdkRequestId>();
    expectTypeOf<Request>().toExtend<JSONRPCRequest>();
    expectTypeOf<JSONRPCRequest>().toExtend<Request>();
    expectTypeOf<Notification>().toExtend<JSONRPCNotification>();
    expectTypeOf<JSONRPCNotification>().toExtend<Notification>();
    expectTypeOf<ResultResponse>().toExtend<JSONRPCResultResponse>();
    expectTypeOf<JSONRPCResultResponse>().toExtend<ResultResponse>();
    expectTypeOf<ErrorResponse>().toExtend<JSONRPCErrorResponse>();
    expectTypeOf<JSONRPCErrorResponse>().toExtend<ErrorResponse>();
    expectTypeOf<Message>().toExtend<JSONRPCMessage>();
    expectTypeOf<JSONRPCMessage>().toExtend<Message>();
  });

  it(verifies("C10", "give and take the SDK's transports"), () => {
    expectTypeOf<Transport>().toExtend<SdkTransport>();
    expectTypeOf<SdkTransport>().toExtend<Transport>();
  });
});
