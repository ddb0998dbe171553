import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetAddress;
import java.security.MessageDigest;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.Callback;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBRequestHandler;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBServerHandler;

/**
 * DynamoDB Local behind a listener of ours, because its own main class can listen on every interface only.
 * Takes one argument, the data directory or ":memory:", listens on a free port of 127.0.0.1 and prints
 * "LISTENING port". Ends when its standard input does, so it cannot outlive whoever started it.
 * Nothing here sets telemetry up, so none is sent.
 *
 * It answers only requests that are signed with the access key in the environment variable ACCESS_KEY_ID, whose
 * signature DynamoDB Local does not check, and that name a loopback host: a web page whose name leads here
 * (DNS rebinding) names its own.
 *
 * The first start compiles it, and the next one after a change (java.ts).
 */
public final class LoopbackDynamoDb extends Handler.Wrapper {
  /** No web page may read the answers; an empty list would mean every origin. */
  private static final String ALLOWED_ORIGINS = "http://nobody.invalid";

  private static final Set<String> HOSTS = Set.of("127.0.0.1", "localhost", "[::1]");

  private final byte[] accessKeyId;

  private LoopbackDynamoDb(String accessKeyId, Handler handler) {
    super(handler);
    this.accessKeyId = accessKeyId.getBytes(UTF_8);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (HOSTS.contains(Request.getServerName(request)) && MessageDigest.isEqual(accessKeyId, keyOf(request))) {
      return super.handle(request, response, callback);
    }
    response.setStatus(400);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/x-amz-json-1.0");
    String type = "com.amazon.coral.service#UnrecognizedClientException";
    String body = "{\"__type\":\"" + type + "\",\"message\":\"The access key or the host is not the one of this DynamoDB.\"}";
    // A connection that closes on an unread body is reset, and the caller may lose the answer.
    Runnable answer = () -> Content.Sink.write(response, true, body, callback);
    Content.Source.consumeAll(request, Callback.from(answer, callback::failed));
    return true;
  }

  /** The access key of "AWS4-HMAC-SHA256 Credential=KEY/DATE/REGION/dynamodb/aws4_request, …". */
  private static byte[] keyOf(Request request) {
    String authorization = String.valueOf(request.getHeaders().get(HttpHeader.AUTHORIZATION));
    String[] parts = authorization.split("Credential=", 2);
    return parts[parts.length - 1].split("/", 2)[0].getBytes(UTF_8);
  }

  public static void main(String[] args) throws Exception {
    boolean inMemory = args[0].equals(":memory:");
    var database = new LocalDynamoDBRequestHandler(0, inMemory, inMemory ? null : args[0], true, false);
    var context = new ContextHandler();
    context.setHandler(new LocalDynamoDBServerHandler(database, ALLOWED_ORIGINS));

    var server = new Server();
    var connector = new ServerConnector(server);
    connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
    server.addConnector(connector);
    server.setHandler(new LoopbackDynamoDb(System.getenv("ACCESS_KEY_ID"), context));
    server.start();
    System.out.println("LISTENING " + connector.getLocalPort());

    while (System.in.read() >= 0) {}
    server.stop();
    database.shutdown();
    System.exit(0);
  }
}
