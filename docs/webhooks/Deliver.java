// Delivers one event: java Deliver.java. Needs Java 17 or later, and BASE_URL, APP_CODE, SECRET in the environment.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Deliver {
  public static void main(String[] args) throws Exception {
    var env = System.getenv();
    // Serialized once: these bytes are signed, and these are sent. \u00e7\u00e3 is "ção" whatever the source's encoding.
    byte[] body =
        "{\"event_type\":\"invoice.paid\",\"data\":{\"number\":\"2026/117\",\"customer\":\"A\u00e7\u00e3o Lda\",\"total\":1249.90}}"
            .getBytes(StandardCharsets.UTF_8);

    Mac hmac = Mac.getInstance("HmacSHA256");
    hmac.init(new SecretKeySpec(env.get("SECRET").getBytes(StandardCharsets.UTF_8), "HmacSHA256"));

    var request =
        HttpRequest.newBuilder(URI.create(env.get("BASE_URL") + "/api/v1/webhooks/" + env.get("APP_CODE")))
            .timeout(Duration.ofSeconds(30))
            .header("Content-Type", "application/json")
            .header("X-Signature", HexFormat.of().formatHex(hmac.doFinal(body)))
            .header("X-Event-ID", env.getOrDefault("EVENT_ID", UUID.randomUUID().toString()))
            .header("X-Timestamp", Instant.now().toString())
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    System.out.println(answer.body());
    System.out.println(answer.statusCode());
  }
}
